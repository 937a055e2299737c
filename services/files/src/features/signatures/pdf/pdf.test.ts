import { randomBytes } from 'node:crypto';
import { deflateSync } from 'node:zlib';
import { aPdf } from '../signatures.test-service.ts';
import { createPdfWork, type PdfWork } from './pdf-work.ts';

let work: PdfWork;
let tenants = 0;
beforeAll(() => {
  work = createPdfWork();
});
afterAll(() => work?.close());

/** A PDF with objects as given, without a table of contents: readers then search for the objects. */
const pdf = (...objects: (string | Buffer)[]) =>
  Buffer.concat([
    Buffer.from('%PDF-1.7\n'),
    ...objects.map((object) => Buffer.from(object)),
    Buffer.from('\ntrailer\n<< /Root 1 0 R /Size 9 >>\nstartxref\n0\n%%EOF'),
  ]);
const catalog = '1 0 obj\n<< /Type /Catalog /Pages 2 0 R >>\nendobj\n';
const page = '3 0 obj\n<< /Type /Page /Parent 2 0 R /MediaBox [0 0 600 800] >>\nendobj\n';
const pages = '2 0 obj\n<< /Type /Pages /Kids [3 0 R] /Count 1 >>\nendobj\n';
const stream = (dict: string, content: Buffer) =>
  Buffer.concat([
    Buffer.from(`5 0 obj\n<< ${dict} /Length ${content.length} >>\nstream\n`),
    content,
    Buffer.from('\nendstream\nendobj\n'),
  ]);
const bomb = deflateSync(Buffer.alloc(400_000_000, ' '));
const deep = `${'['.repeat(100_000)}${']'.repeat(100_000)}`;

describe('a hostile document', () => {
  const hostile: [string, Buffer | Promise<Buffer>][] = [
    ['random bytes', randomBytes(10_000)],
    ['random bytes after a header', Buffer.concat([Buffer.from('%PDF-1.7\n'), randomBytes(100_000)])],
    ['only a header', Buffer.from('%PDF-1.7')],
    ['a page tree that contains itself', pdf(catalog, '2 0 obj\n<< /Type /Pages /Kids [2 0 R] /Count 1 >>\nendobj\n')],
    [
      'a page that is its own parent',
      pdf(catalog, pages, page.replace('2 0 R', '3 0 R').replace(/\/MediaBox[^>]*/, '')),
    ],
    ['no pages', pdf(catalog, '2 0 obj\n<< /Type /Pages /Kids [] /Count 0 >>\nendobj\n')],
    ['a page of no size', pdf(catalog, pages, page.replace('600 800', '0 0'))],
    ['a page of enormous size', pdf(catalog, pages, page.replace('600 800', '9e30 9e30'))],
    ['deeply nested arrays', pdf(catalog, pages, page, `4 0 obj\n${deep}\nendobj\n`)],
    ['an opening script', pdf(catalog.replace('>>', '/OpenAction << /S /JavaScript /JS (x) >> >>'), pages, page)],
    [
      'an action that opens a program',
      pdf(catalog, pages, page.replace('>>', '/AA << /O << /S /Launch /F (x) >> >> >>')),
    ],
    [
      'a script in a name with escapes',
      pdf(catalog.replace('>>', '/OpenAction << /S /J#61vaScript >> >>'), pages, page),
    ],
    [
      'a stream of objects that unpacks to 400 MB',
      pdf(catalog, pages, page, stream('/Type /ObjStm /N 1 /First 4 /Filter /FlateDecode', bomb)),
    ],
    [
      'a table of objects that unpacks to 400 MB',
      pdf(catalog, pages, page, stream('/Type /XRef /Size 9 /W [1 9 9] /Filter /FlateDecode', bomb)),
    ],
  ];

  it.each(hostile)('with %s is refused within the limits, and others are not delayed', async (_, content) => {
    const other = work.inspect(new Uint8Array(await aPdf()), ++tenants);
    const result = await work.inspect(new Uint8Array(await content), ++tenants);
    expect(result).toEqual({ error: expect.stringMatching(/^(not_pdf|has_scripts|too_complex)$/) });
    expect(await other).toEqual({ pages: [{ width: 600, height: 800 }] });
  });

  it('whose signature takes too long to check is not readable, and a certificate that takes too long is none', async () => {
    const strict = createPdfWork({ cpuMs: 1 });
    try {
      // Numbers, which need many times their size when they are parsed.
      const numbers = Buffer.from('020101'.repeat(500_000), 'hex');
      const length = Buffer.alloc(4);
      length.writeUInt32BE(numbers.length);
      const hex = Buffer.concat([Buffer.from([0x30, 0x84]), length, numbers]).toString('hex');
      const start = 64;
      const head = `%PDF-1.7\n/ByteRange [0 ${start} ${start + hex.length + 2} 4]`;
      const document = Buffer.from(`${head.padEnd(start, ' ')}<${hex}>%EOF`);
      expect(await strict.verify(new Uint8Array(document), [], 1)).toEqual({ valid: false, problem: 'unreadable' });
      const lines = Array.from({ length: 2_000 }, (_, index) => `Entry ${index}`);
      const certificate = { warning: null, title: '', subtitle: null, sections: [{ heading: '', lines }], footer: '' };
      expect(await strict.certificate(certificate, 1)).toBeUndefined();
    } finally {
      await strict.close();
    }
  });

  it('that needs more time than it may is ended, and the next one is processed', async () => {
    const strict = createPdfWork({ cpuMs: 1 });
    try {
      const many = Array.from({ length: 40_000 }, (_, index) => `${index + 10} 0 obj\n[1 2 3]\nendobj\n`).join('');
      const slow = new Uint8Array(pdf(catalog, pages, page, many));
      expect(await strict.inspect(slow, 1)).toEqual({ error: 'too_complex' });
    } finally {
      await strict.close();
    }
  });
});

it('a truncated document is refused, wherever it ends', async () => {
  const whole = await aPdf([0, 90, 180]);
  for (const share of [0.1, 0.3, 0.5, 0.7]) {
    const part = new Uint8Array(whole.subarray(0, Math.floor(whole.length * share)));
    expect(await work.inspect(part, ++tenants)).toEqual({ error: 'not_pdf' });
  }
});

it('sizes of pages are those that a reader sees', async () => {
  expect(await work.inspect(new Uint8Array(await aPdf([0, 90, 180, 270])), ++tenants)).toEqual({
    pages: [
      { width: 600, height: 800 },
      { width: 800, height: 600 },
      { width: 600, height: 800 },
      { width: 800, height: 600 },
    ],
  });
});

it('an image that cannot be decoded is none', async () => {
  const header = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]);
  expect(await work.isImage(new Uint8Array(Buffer.concat([header, randomBytes(500)])), ++tenants)).toBe(false);
});
