import { createTemplateRenderer } from '../templates/template-renderer.ts';
import { composeMessage } from './compose.ts';

const renderer = createTemplateRenderer();
afterAll(() => renderer.close());

const context = {
  data: {},
  tenantName: 'Bakery',
  locale: 'de-AT',
  unsubscribeUrl: 'https://api.example.com/unsubscribe/x',
  preferencesUrl: 'https://api.example.com/preferences/x',
  tracked: (url: string) => url,
  pixelUrl: null,
};
async function composed(html: string): Promise<string> {
  const source = { subject: 'Rye & salt', preheader: null, html, text: null, variables: [] };
  return (await composeMessage(renderer, 1, source, context)).html;
}

it('names language and title of a document that has none, for screen readers', async () => {
  const html = await composed(
    '<!doctype html><html class="a"><head><meta charset="utf-8"></head><body>Hi</body></html>',
  );
  expect(html).toContain('<html lang="de-AT" class="a">');
  expect(html).toContain('<meta charset="utf-8"><title>Rye &amp; salt</title>\n</head>');
});

it('keeps the language and the title of a document', async () => {
  const start = '<html dir="ltr" lang="fr"><head><title>Pain</title></head>';
  expect(await composed(`${start}<body>Hi</body></html>`)).toContain(`${start}<body>`);
  expect(await composed('<p>Hi</p>')).toMatch(/^<p>Hi<\/p>/);
});
