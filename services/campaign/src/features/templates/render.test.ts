import { htmlOfText, renderTemplate, syntaxErrors, type TemplateContent, TemplateError } from './render.ts';

const content = (fields: Partial<TemplateContent>): TemplateContent => ({
  subject: null,
  preheader: null,
  html: null,
  text: null,
  variables: [],
  ...fields,
});
const data = (lead: Record<string, unknown> = {}) => ({
  lead: { firstName: 'Ada', ...lead },
  tenant: { name: 'Acme' },
});

it('escapes values in HTML, and not in the subject and the text', () => {
  const source = 'Hello {{ lead.firstName }}';
  const rendered = renderTemplate(
    content({ subject: source, html: `<p>${source}</p>`, text: source }),
    data({ firstName: '<b>&' }),
  );
  expect(rendered).toEqual({
    subject: 'Hello <b>&',
    html: '<p>Hello &lt;b&gt;&amp;</p>',
    text: 'Hello <b>&',
    missing: [],
  });
});

it('does not render placeholders in values, and no line break in the subject', () => {
  const rendered = renderTemplate(
    content({ subject: '{{ lead.firstName }}' }),
    data({ firstName: '{{ tenant.name }}\r\nBcc: x' }),
  );
  expect(rendered.subject).toBe('{{ tenant.name }} Bcc: x');
});

it('uses fallbacks, and names required placeholders without a value', () => {
  const variables = [
    { key: 'lead.firstName', fallback: 'there', required: true },
    { key: 'lead.customFields.city', fallback: null, required: true },
    { key: 'tenant.name', fallback: null, required: true },
    { key: 'lead.phone', fallback: null, required: false },
  ];
  const source = '{{ lead.firstName }} {{ lead.customFields.city }} {{ lead.phone }}|{{ nothing.at.all }}';
  const rendered = renderTemplate(content({ text: source, variables }), data({ firstName: '' }));
  expect(rendered).toMatchObject({ text: 'there  |', missing: ['lead.customFields.city'] });
});

it('puts the preheader at the start of the body', () => {
  const html = '<html><body class="a"><p>Hi</p></body></html>';
  const { html: rendered } = renderTemplate(content({ html, preheader: 'Only {{ lead.firstName }}' }), data());
  expect(rendered).toMatch(/<body class="a"><div style="[^"]+">Only Ada<\/div><p>Hi/);
});

it('finds the body in about the same time among unclosed tags', () => {
  const fastest = (tag: string) => {
    const source = content({ html: tag.repeat(30_000), text: 'Hi', preheader: 'Only today' });
    const times = Array.from({ length: 5 }, () => {
      const began = performance.now();
      renderTemplate(source, data());
      return performance.now() - began;
    });
    return Math.min(...times);
  };
  expect(fastest('<body ')).toBeLessThan(10 * fastest('<bode '));
});

it('makes the text of the HTML, with the addresses of links', () => {
  const html =
    '<style>p { color: red }</style><p>Hi &amp; <b>welcome</b></p><p><a href="https://a.example">Shop</a></p>';
  expect(renderTemplate(content({ html }), data()).text).toBe('Hi & welcome\n\nShop (https://a.example)');
  expect(htmlOfText('a < b\nc')).toBe('<p>a &lt; b<br>c</p>');
});

it.each<[string, string, RegExp]>([
  ['an open placeholder', 'a\nb {{ lead.firstName', /line 2, column 3/],
  ['an open tag', '{% if lead %}', /line 1, column 1/],
  ['an unknown tag', '{% include "secrets" %}', /include/],
  ['an unknown filter', '{{ lead.firstName | raw }}', /raw/],
])('tells line and column of %s', (_, html, message) => {
  expect(syntaxErrors({ html })).toEqual([{ field: 'html', message: expect.stringMatching(message) }]);
});

it.each([
  ['a loop without end', '{% for a in (1..100000) %}{% for b in (1..100000) %}{{ b }}{% endfor %}{% endfor %}'],
  ['a text that doubles', `{% assign a = "${'x'.repeat(1000)}" %}${'{% assign a = a | append: a %}'.repeat(30)}`],
])('stops %s', (_, text) => {
  const started = Date.now();
  expect(() => renderTemplate(content({ text }), data())).toThrow(TemplateError);
  expect(Date.now() - started).toBeLessThan(5_000);
});

it.each([
  ['placeholders', '{{ a }}'.repeat(28_000), /at most 1000 placeholders/],
  ['nested tags', '{% if a %}'.repeat(19_000), /at most 1000 placeholders/],
  ['a long condition', `{% if ${'a and '.repeat(30_000)}a %}{% endif %}`, /at most 2000 characters/],
])('rejects too many %s', (_, text, message) => {
  expect(syntaxErrors({ text })).toEqual([{ field: 'text', message: expect.stringMatching(message) }]);
  expect(() => renderTemplate(content({ text }), data())).toThrow(TemplateError);
});

it('reads no properties of the runtime', () => {
  const text = '{{ lead.constructor.name }}{{ lead.firstName.constructor }}{{ lead.__proto__ }}';
  expect(renderTemplate(content({ text }), data()).text).toBe('');
});

it('has no filters that evaluate an expression per element, which no time limit ends', () => {
  const html = '{{ (1..100000) | where_exp: "x", "x == 0" | size }}';
  expect(syntaxErrors(content({ html })).map(({ field }) => field)).toEqual(['html']);
  expect(() => renderTemplate(content({ html: '{{ (1..1000000) | join }}' }), data())).toThrow(TemplateError);
});

it.each([
  ['a filter', `{{ (1..400000) | find_index: "${'a.'.repeat(900)}a" }}`],
  ['a comparison', `{% assign r = (1..400000) %}{% if ${'r contains 0 or '.repeat(100)}false %}{% endif %}`],
])('ends %s that goes through many elements', (_, text) => {
  const began = performance.now();
  expect(() => renderTemplate(content({ text }), data())).toThrow(/limit exceeded/);
  // Without a limit it would take many seconds.
  expect(performance.now() - began).toBeLessThan(3_000);
});
