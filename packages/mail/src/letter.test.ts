import { type Letter, renderLetter } from './letter.ts';

const letter: Letter = {
  subject: 'Reset\r\nyour password',
  language: 'en',
  preview: 'The preview',
  title: 'Reset <your> password',
  paragraphs: ['Hello "Ada" & co,', 'a second one'],
  button: { label: 'Choose it', url: 'https://example.com/?a=1&b="2"' },
  notes: ['A note'],
  footer: ['Sent by Tandem', 'because you asked'],
};

it('writes the parts as plain text in the order in which they are read', () => {
  expect(renderLetter(letter).text).toBe(`Reset <your> password

Hello "Ada" & co,

a second one

Choose it:
https://example.com/?a=1&b="2"

A note

-- 
Sent by Tandem
because you asked
`);
});

it('escapes every value, and keeps the subject in one line', () => {
  const hostile = '<img src=x onerror="alert(1)">';
  const { subject, html } = renderLetter({
    subject: `a\n${hostile}`,
    language: hostile,
    preview: hostile,
    title: hostile,
    paragraphs: [hostile],
    button: { label: hostile, url: `https://example.com/${hostile}` },
    notes: [hostile],
    footer: [hostile],
  });
  expect(subject).toBe(`a ${hostile}`);
  expect(html).not.toContain('<img');
  expect(html.match(/&#60;img/g)?.length).toBeGreaterThanOrEqual(8);
});

it('keeps the line breaks of a paragraph, and breaks words that are longer than a line', () => {
  const { html } = renderLetter({ ...letter, paragraphs: ['one\ntwo <b>', 'x'.repeat(300)] });
  expect(html).toContain('one<br>two &#60;b&#62;</p>');
  const texts = html.match(/<(h1|p) [^>]*>/g) ?? [];
  expect(texts.length).toBeGreaterThan(5);
  for (const text of texts) expect(text).toContain('overflow-wrap:anywhere');
});

it('introduces the address below the button', () => {
  const button = { label: 'Choose it', url: 'https://example.com/', hint: 'Or open <this>:' };
  expect(renderLetter({ ...letter, button }).html).toContain('Or open &#60;this&#62;:<br><a ');
});

it('works in mail clients: tables, inline styles, nothing from elsewhere', () => {
  const { html } = renderLetter(letter);
  expect(html).toContain('role="presentation"');
  expect(html).not.toMatch(/<(img|link|script|svg|form)\b|@import|url\(/);
  expect(html.match(/https?:\/\/[^"<]*/g)?.every((url) => url.startsWith('https://example.com/'))).toBe(true);
});

it('opens the link of the button and the written link in a new tab', () => {
  const links = renderLetter(letter).html.match(/<a [^>]*>/g) ?? [];
  expect(links).toHaveLength(2);
  for (const link of links) expect(link).toContain(' target="_blank" rel="noopener"');
});
