/** What the service worker finds as globals: app/build/page.py puts these in. */
declare const BUILD_FOLDER: string;
declare const BUILD_FILES: string[]; // in that folder: what is stored
