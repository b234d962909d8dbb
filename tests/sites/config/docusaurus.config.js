module.exports = {
  title: 'Harbour Museum',
  url: 'https://museum.example',
  baseUrl: '/',
  onBrokenLinks: 'ignore',
  markdown: { format: 'md' },
  presets: [['classic', { docs: { routeBasePath: '/', sidebarPath: undefined }, blog: false }]],
  themes: [['@easyops-cn/docusaurus-search-local', { docsRouteBasePath: '/', language: ['en', 'de'], hashed: false }]],
};
