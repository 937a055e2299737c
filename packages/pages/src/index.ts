export { errorPage, wantsErrorPage } from './error-page.ts';
export { escapeHtml } from './escape-html.ts';
export { formPage, noticePage } from './form-page.ts';
export { htmlDocument, htmlPage, type PageLanguage, pageLanguage, pageStyle } from './html-page.ts';
