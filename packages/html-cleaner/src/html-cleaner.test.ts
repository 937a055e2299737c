import { createHtmlCleaner, type HtmlCleaner } from './html-cleaner.ts';

const tenantId = 1;

let cleaner: HtmlCleaner;

beforeEach(() => {
  cleaner = createHtmlCleaner();
});
afterEach(() => cleaner.close());

describe('cleaning HTML', () => {
  it.each([
    ['a script', '<p>a<script>alert(1)</script>b</p>', '<p>ab</p>'],
    [
      'an event handler',
      '<img src="https://example.com/a.png" onerror="alert(1)" />',
      '<img src="https://example.com/a.png" />',
    ],
    ['a link that runs code', '<a href="java&#10;script:alert(1)">a</a>', '<a>a</a>'],
    ['a frame', '<iframe srcdoc="<script>alert(1)</script>"></iframe>after', 'after'],
    ['a form', '<form action="https://example.com"><label>a</label></form>', '<label>a</label>'],
    ['a style', '<style>p{color:red}</style><p style="position:fixed">a</p>', '<p>a</p>'],
    ['active content in a picture', '<svg><script>alert(1)</script></svg><p>a</p>', '<p>a</p>'],
    ['a data address', '<img src="data:image/svg+xml;base64,PHN2Zz4=" alt="a" />', '<img alt="a" />'],
  ])('removes %s', async (_, html, cleaned) => {
    expect(await cleaner.clean(html, tenantId)).toEqual({ html: cleaned });
  });

  it('keeps headings, lists, tables, pictures and links, and protects the page that opens a window', async () => {
    const html =
      '<h2 id="a">A</h2><ol start="3"><li>b</li></ol><table><tr><td colspan="2">c</td></tr></table>' +
      '<a href="https://example.com/" target="_blank" rel="noopener noreferrer">d</a>';
    expect(await cleaner.clean(html, tenantId)).toEqual({ html });
    const unprotected = '<a href="https://example.com/" target="_blank">d</a>';
    expect(await cleaner.clean(unprotected, tenantId)).toEqual({ html: expect.stringContaining('rel="noopener') });
  });

  it('changes nothing the second time', async () => {
    const html = '<p>a &lt;script&gt; &amp;lt; b<b>c</p><img src=x alt="&quot;>">';
    const once = await cleaner.clean(html, tenantId);
    expect('html' in once && (await cleaner.clean(once.html, tenantId))).toEqual(once);
  });
});

it('HTML that is nested too deeply is refused without a crash of the thread', async () => {
  const { error } = (await cleaner.clean('<div>'.repeat(100_000), tenantId)) as { error: string };
  expect(error).toBe('Must have at most 250 nested levels');
  expect(await cleaner.clean('<p>a</p>', tenantId)).toEqual({ html: '<p>a</p>' });
});
