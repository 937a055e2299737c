import type { campaign } from '@tandem/campaign-contract';
import { type Mailbox, startMailbox } from '@tandem/mailbox';
import { type TestService, until } from '@tandem/testing';
import { DomUtils, parseDocument } from 'htmlparser2';
import { startCampaign } from '../../../campaign.test-service.ts';

let mailbox: Mailbox;
let service: TestService<typeof campaign>;
beforeAll(async () => {
  mailbox = await startMailbox();
  service = await startCampaign(undefined, undefined, { SMTP_URL: mailbox.smtpUrl });
});
afterAll(async () => {
  await service?.close();
  await mailbox?.close();
});

type Api = ReturnType<typeof service.as>;
type Fields = Record<string, unknown>;

const blocks = [
  { type: 'image', src: 'https://example.com/logo.png', alt: 'Our "logo"', width: 120, url: 'https://example.com' },
  { type: 'heading', text: 'Spring & more', align: 'center' },
  {
    type: 'text',
    text: 'Hello {{ lead.firstName | default: "you" }},\n\nthe **spring <offer>** ends\non *Sunday*: [see it](https://example.com/a?b=1&c={{ lead.email | url_encode }}).',
  },
  { type: 'button', label: 'See it', url: 'https://example.com/spring', color: '#ffdd00' },
  { type: 'divider' },
  { type: 'spacer', height: 24 },
  {
    type: 'columns',
    columns: [
      [
        { type: 'heading', text: 'Left', level: 2 },
        { type: 'text', text: '{% if lead.email %}Known{% endif %}' },
      ],
      [{ type: 'button', label: 'Write', url: 'mailto:sales@example.com', align: 'right' }],
    ],
  },
  { type: 'footer', text: 'Acme, Berlin. [Unsubscribe]({{ unsubscribeUrl }})' },
];

const template = (fields: Fields = {}) => ({ name: 'Spring', channel: 'email', subject: 'Hi', blocks, ...fields });

async function created(api: Api, fields: Fields = {}) {
  const reply = await api.createTemplate({ body: template(fields) });
  expect([reply.status, reply.body.errors]).toEqual([201, undefined]);
  return { data: reply.data, params: { id: reply.data.id as string } };
}

const errorsOf = async (fields: Fields) => {
  const { status, body } = await service.as().createTemplate({ body: template(fields) });
  return [status, ...(body.errors ?? []).map(({ field, message }) => `${field}: ${message}`)];
};

const rendered = async (api: Api, params: { id: string }, sample: Fields = {}) =>
  (await api.renderTemplate({ params, body: { sample } })).data as { html: string; text: string };

function elements(html: string) {
  const page = parseDocument(html);
  return (name: string) => DomUtils.getElementsByTagName(name, page.children);
}

describe('the blocks of a template', () => {
  it('are returned as they were written, and make the HTML of previews', async () => {
    const api = service.as();
    const { data, params } = await created(api);
    expect(data.blocks).toEqual(blocks);
    expect((await api.getTemplate({ params })).data.blocks).toEqual(blocks);
    const { html, text } = await rendered(api, params, { lead: { firstName: '<b>Eve</b>', email: 'e+1@example.com' } });
    const all = elements(html);
    expect(all('a').map(({ attribs }) => attribs['href'])).toEqual([
      'https://example.com',
      'https://example.com/a?b=1&c=e%2B1%40example.com',
      'https://example.com/spring',
      'mailto:sales@example.com',
      'https://api.example.com/unsubscribe/preview',
    ]);
    expect(all('img')[0]?.attribs).toMatchObject({ alt: 'Our "logo"', width: '120' });
    expect(
      ['h1', 'h2', 'strong', 'em', 'b', 'script'].map((name) => all(name).map((one) => DomUtils.textContent(one))),
    ).toEqual([['Spring & more'], ['Left'], ['spring <offer>'], ['Sunday'], [], []]);
    expect(all('p').map((one) => DomUtils.textContent(one))).toContain('Hello <b>Eve</b>,');
    expect(text).toContain('Hello <b>Eve</b>,\n');
    expect(text).toContain('See it (https://example.com/spring)');
  });

  it('are laid out by tables and inline styles, for Outlook and Gmail', async () => {
    const { data } = await created(service.as());
    const all = elements(data.html);
    for (const { attribs } of all('table')) expect(attribs).toMatchObject({ role: 'presentation', cellpadding: '0' });
    expect(data.html).not.toMatch(/display:\s*(flex|grid)|<link|@import|url\(|position:/);
    expect(all('td').filter(({ attribs }) => attribs['class'] === 'column')).toHaveLength(2);
    // Each tag is closed by its own: a parser that repairs nothing finds the same tree.
    const open: string[] = [];
    for (const [, closing, name = '', rest = ''] of data.html
      .replace(/<!--.*?-->|<!doctype html>/gs, '')
      .matchAll(/<(\/?)([a-z0-9:]+)([^>]*)>/g)) {
      if (closing) expect(open.pop()).toBe(name);
      else if (!['meta', 'img', 'br'].includes(name) && !rest.endsWith('/')) open.push(name);
    }
    expect(open).toEqual([]);
    // Dark text on a light button.
    expect(data.html).toMatch(/bgcolor="#ffdd00".*?color:#000000/s);
  });

  it('reach the mailbox by a test message', async () => {
    const api = service.as();
    const { params } = await created(api);
    expect((await api.testSendTemplate({ params, body: { to: ['blocks@example.com'] } })).status).toBe(202);
    const mail = await until('the mail arrives', () => mailbox.to('blocks@example.com')[0]);
    expect(mail.html).toContain('the <strong>spring &lt;offer&gt;</strong> ends<br>on <em>Sunday</em>');
  });

  it('are kept by versions and copies', async () => {
    const api = service.as();
    const { params, data } = await created(api);
    const other = [{ type: 'text', text: 'Other' }];
    expect((await api.updateTemplate({ params, body: { blocks: other } })).data).toMatchObject({
      contentVersion: 2,
      blocks: other,
    });
    expect((await api.updateTemplate({ params, body: { blocks: other } })).data.contentVersion).toBe(2);
    const { data: restored } = await api.restoreTemplateVersion({ params: { ...params, number: '1' } });
    expect([restored.contentVersion, restored.blocks, restored.html]).toEqual([3, blocks, data.html]);
    const { data: copy } = await api.duplicateTemplate({ params });
    expect([copy.blocks, copy.html]).toEqual([blocks, data.html]);
  });

  it('are replaced by HTML, and replace it', async () => {
    const api = service.as();
    const { params } = await created(api);
    const update = async (body: Fields) => (await api.updateTemplate({ params, body })).data;
    expect(await update({ html: '<p>Raw</p>' })).toMatchObject({ blocks: null, html: '<p>Raw</p>' });
    expect(await update({ blocks: null, subject: 'New' })).toMatchObject({ blocks: null, html: '<p>Raw</p>' });
    expect((await update({ blocks })).html).toContain('Spring &amp; more');
    expect(await update({ blocks: null })).toMatchObject({ blocks: null, html: null });
  });
});

describe('a template is rejected', () => {
  it('with both html and blocks, and with blocks for an SMS', async () => {
    expect(await errorsOf({ html: '<p>Raw</p>' })).toEqual([
      422,
      'blocks: Cannot be combined with html, which is made from the blocks; omit one of both',
    ]);
    expect(await errorsOf({ channel: 'sms', subject: null, text: 'Hi' })).toEqual([
      422,
      'blocks: Applies only to e-mails; omit it',
    ]);
  });

  it.each([
    [
      'an unknown block',
      { type: 'video' },
      'blocks.0.type: Must be one of heading, text, button, image, divider, spacer, columns, footer',
    ],
    [
      'a script as a link',
      { type: 'button', label: 'x', url: 'javascript:alert(1)' },
      'blocks.0.url: Must begin with https://',
    ],
    [
      'a link that a lead chooses',
      { type: 'button', label: 'x', url: 'https://{{ lead.email }}/' },
      'blocks.0.url: Must begin with',
    ],
    [
      'a link that leaves its attribute',
      { type: 'button', label: 'x', url: 'https://a.de/"onclick="x' },
      'blocks.0.url: Must begin with',
    ],
    [
      'an insecure image',
      { type: 'image', src: 'http://example.com/x.png', alt: '' },
      'blocks.0.src: Must begin with https://',
    ],
    [
      'a wrong link in a text',
      { type: 'text', text: 'A [link](javascript:x)' },
      'blocks.0.text: Links must begin with https://',
    ],
    [
      'a broken placeholder',
      { type: 'text', text: 'Hello\n{{ lead.firstName | nothing }}' },
      'blocks.0.text: Is not a valid template: undefined filter: nothing (line 2, column 1)',
    ],
    [
      'a tag that ends in another block',
      { type: 'text', text: '{% if lead.email %}' },
      'blocks.0.text: Is not a valid template: tag {% if lead.email %} not closed (line 1, column 1)',
    ],
    [
      'columns within a column',
      { type: 'columns', columns: [[{ type: 'columns', columns: [[], []] }], []] },
      'blocks.0.columns.0.0.type: Must be one of heading, text',
    ],
    ['one column', { type: 'columns', columns: [[]] }, 'blocks.0.columns: Must have two columns'],
    [
      'a wrong placeholder in a column',
      { type: 'columns', columns: [[], [{ type: 'heading', text: '{{ x' }]] },
      'blocks.0.columns.1.0.text: Is not a valid template',
    ],
    ['an empty heading', { type: 'heading', text: '' }, 'blocks.0.text: Must not be empty'],
    ['a high spacer', { type: 'spacer', height: 1000 }, 'blocks.0.height: Must be at most 200'],
    ['a color with more', { type: 'divider', color: '#ffffff;x:y' }, 'blocks.0.color: Must be a color such as #2f55d4'],
  ])('for %s', async (_, block, error) => {
    expect(await errorsOf({ blocks: [block] })).toEqual([422, expect.stringContaining(error)]);
  });

  it('for too many blocks, texts, placeholders and links', async () => {
    const many = (count: number, text: string) => ({
      blocks: Array.from({ length: count }, () => ({ type: 'text', text })),
    });
    expect(await errorsOf(many(101, 'x'))).toEqual([422, 'blocks: Must have at most 100 blocks']);
    expect(await errorsOf({ blocks: [] })).toEqual([422, 'blocks: Must have at least one block']);
    expect(await errorsOf(many(21, 'x'.repeat(10_000)))).toEqual([
      422,
      'blocks: Must have at most 200000 characters of text',
    ]);
    expect(await errorsOf(many(11, '{{ x }}'.repeat(100)))).toEqual([
      422,
      'blocks: Must have at most 1000 placeholders and tags',
    ]);
    expect(await errorsOf(many(11, '[a](b)'.repeat(100)))).toEqual([422, 'blocks: Must have at most 1000 links']);
    expect(await errorsOf(many(20, '&'.repeat(9_990)))).toEqual([
      422,
      expect.stringMatching(/^blocks: Must make at most 200000/),
    ]);
  });
});
