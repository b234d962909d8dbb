import anchor from 'markdown-it-anchor';
export default (config) => {
  config.amendLibrary('md', (markdown) => markdown.use(anchor));
  config.addGlobalData('eleventyComputed.lang', () => (data) => (data.page.url.slice(1, 3) === 'de' ? 'de' : 'en'));
  config.addGlobalData('layout', 'page.liquid');
};
export const config = { markdownTemplateEngine: false };
