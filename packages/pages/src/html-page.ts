import { escapeHtml } from './escape-html.ts';

/** The style of the pages that people open from links: forms, notices and errors. */
export const pageStyle = `
:root { color-scheme: light dark; --ink: #1f2430; --soft: #667085; --paper: #fff; --ground: #f4f5f7; --deep: #2f55d4; --bad: #b42318; }
@media (prefers-color-scheme: dark) {
  :root { --ink: #e8eaee; --soft: #9aa3b2; --paper: #1e2128; --ground: #14161b; --deep: #8aa4ff; --bad: #ff8a80; }
}
* { box-sizing: border-box; }
body { margin: 0; min-height: 100vh; display: grid; place-items: center; padding: 1.5rem; background: var(--ground);
  color: var(--ink); font: 1.05rem/1.6 system-ui, sans-serif; overflow-wrap: anywhere; }
main { width: 100%; max-width: 30rem; padding: 2rem; background: var(--paper); border-radius: 1rem; }
h1 { margin: 0 0 1rem; font-size: 1.5rem; line-height: 1.25; }
label { display: block; margin: 1rem 0 0; }
input, select { display: block; width: 100%; margin-top: .25rem; padding: .6rem .75rem; border: 1px solid var(--soft);
  border-radius: .5rem; background: var(--paper); color: var(--ink); font: inherit; }
[data-check] { display: flex; gap: .7rem; align-items: start; }
[data-check] input { flex: none; width: 1.2rem; height: 1.2rem; margin: .25rem 0 0; accent-color: var(--deep); }
button { margin-top: 1rem; padding: .7rem 1.4rem; border: 0; border-radius: .5rem; background: var(--deep); color: var(--paper);
  font: inherit; font-weight: 600; cursor: pointer; }
a { color: var(--deep); }
button:focus-visible, input:focus-visible, select:focus-visible, a:focus-visible { outline: 3px solid var(--ink); outline-offset: 2px; }
[data-error] { margin: .25rem 0 0; font-size: .9rem; color: var(--bad); }
[role=status] { margin: 1rem 0 0; white-space: pre-line; }
.bad { color: var(--bad); }
small { color: var(--soft); }
`;

/** The languages of the pages. */
export type PageLanguage = 'en' | 'de';

/** The language of pages for a locale: German for German locales, else English. */
export function pageLanguage(locale: string): PageLanguage {
  return /^de\b/i.test(locale) ? 'de' : 'en';
}

/**
 * Renders a document that search engines leave out.
 * @param page `title` is plain text, which is escaped; `style` and `body`, with its tag, are not; `referrer` is the policy for
 * addresses that the page calls, none by default
 */
export function htmlDocument({
  lang = 'en',
  title,
  referrer = 'no-referrer',
  style,
  body,
}: {
  lang?: PageLanguage | undefined;
  title: string;
  referrer?: 'no-referrer' | 'same-origin';
  style: string;
  body: string;
}): string {
  return `<!doctype html>
<html lang="${lang}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="robots" content="noindex">
<meta name="referrer" content="${referrer}">
<title>${escapeHtml(title)}</title>
<style>${style}</style>
</head>
${body}
</html>
`;
}

/**
 * Renders a page with the style above.
 * @param page `title` is plain text, which is escaped; `content` is the HTML below the heading
 */
export function htmlPage({
  title,
  content,
  script,
  lang = 'en',
}: {
  title: string;
  content: string;
  script?: string;
  lang?: PageLanguage;
}): string {
  const body = `<body><main>
<h1>${escapeHtml(title)}</h1>
${content}
</main>${script === undefined ? '' : `<script>${script}</script>`}</body>`;
  return htmlDocument({ lang, title, style: pageStyle, body });
}
