import { compose } from './compose.ts';

const context = {
  data: {},
  tenantName: 'Bakery',
  locale: 'de-AT',
  unsubscribeUrl: 'https://api.example.com/unsubscribe/x',
  preferencesUrl: 'https://api.example.com/preferences/x',
  tracked: (url: string) => url,
  pixelUrl: null,
};
const composed = (html: string) =>
  compose({ subject: 'Rye & salt', preheader: null, html, text: null, variables: [] }, context).html;

it('names language and title of a document that has none, for screen readers', () => {
  const html = composed('<!doctype html><html class="a"><head><meta charset="utf-8"></head><body>Hi</body></html>');
  expect(html).toContain('<html lang="de-AT" class="a">');
  expect(html).toContain('<meta charset="utf-8"><title>Rye &amp; salt</title>\n</head>');
});

it('keeps the language and the title of a document', () => {
  const start = '<html dir="ltr" lang="fr"><head><title>Pain</title></head>';
  expect(composed(`${start}<body>Hi</body></html>`)).toContain(`${start}<body>`);
  expect(composed('<p>Hi</p>')).toMatch(/^<p>Hi<\/p>/);
});
