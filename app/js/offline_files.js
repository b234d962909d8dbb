/** What the page and its service worker both know of the files that are kept. */

/**
 * The caches of a page have names that begin with this: another folder of the same host may have one, too.
 * @param {string} page address of its folder
 */
export const cachesOf = (page) => `tabloop-files ${page} `;

/** The owner's files, by their address below the page. */
export const OF_THE_OWNER = /^(pyscript\.toml|owner\.css|owner\/.+)$/;
