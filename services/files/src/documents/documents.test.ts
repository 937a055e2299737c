import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { deflateSync } from 'node:zlib';
import sharp from 'sharp';
import { createDocuments, type Documents } from './documents.ts';
import { aPdf, pdfOf } from './pdf.test-document.ts';
import { aScan } from './scan.test-document.ts';

let documents: Documents;
let folder: string;
beforeAll(async () => {
  documents = createDocuments();
  folder = await mkdtemp(join(tmpdir(), 'documents-'));
});
afterAll(async () => {
  await documents?.close();
  await rm(folder, { recursive: true, force: true });
});

const tenant = 1;
let files = 0;
async function stored(content: Uint8Array | string): Promise<string> {
  const path = join(folder, `file-${++files}`);
  await writeFile(path, content);
  return path;
}
const read = async (content: Uint8Array | string) =>
  documents.readText({ path: await stored(content), pages: [1, 2, 3] }, tenant);
const previews = async (content: Uint8Array | string, kind: 'pdf' | 'picture') =>
  documents.makePreviews({ path: await stored(content), kind, sides: [64, 256] }, tenant);
describe('a PDF', () => {
  it('is read page by page, as lines from top to bottom with their boxes', async () => {
    const { pagesCount, pages } = await read(
      pdfOf([
        [
          { text: 'Second line', x: 60, y: 700 },
          { text: 'First line', x: 60, y: 740 },
        ],
        [
          { text: 'Total', x: 60, y: 700 },
          { text: '12.50', x: 400, y: 700 },
        ],
      ]),
    );
    expect(pagesCount).toBe(2);
    expect(pages.map(({ number, width, height, text }) => [number, width, height, text])).toEqual([
      [1, 595, 842, 'First line\nSecond line'],
      [2, 595, 842, 'Total 12.50'],
    ]);
    expect(pages[1]?.lines[0]?.segments.map(({ text }) => text)).toEqual(['Total', '12.50']);
    const [left, top, right, bottom] = (pages[0]?.lines[0]?.box ?? []) as number[];
    expect([left, bottom]).toEqual([60, 102]);
    expect((top as number) < 102 && (right as number) > 60).toBe(true);
  });

  it('has previews of its first page that fit into the squares', async () => {
    const [small, large] = await previews(pdfOf([[{ text: 'Offer', x: 60, y: 700 }]]), 'pdf');
    expect([small?.width, small?.height, large?.height]).toEqual([45, 64, 256]);
    expect(
      Buffer.from(large?.content ?? [])
        .subarray(8, 12)
        .toString(),
    ).toBe('WEBP');
  });
});

describe('a picture', () => {
  it('has previews without metadata, upright', async () => {
    const photo = await sharp({ create: { width: 400, height: 200, channels: 3, background: 'red' } })
      .withMetadata({ orientation: 6, exif: { IFD0: { Copyright: 'Ada' } } })
      .jpeg()
      .toBuffer();
    const [, large] = await previews(photo, 'picture');
    expect([large?.width, large?.height]).toEqual([128, 256]);
    expect((await sharp(Buffer.from(large?.content ?? [])).metadata()).exif).toBeUndefined();
  });

  it('is recognized, with the confidence and box of each line', async () => {
    const path = await stored(await aScan(['Invoice 2026-0042', 'Total amount 1234.50 EUR']));
    const page = await documents.recognize({ path, kind: 'picture', page: 1, languages: ['eng'] }, tenant);
    expect(page.text).toBe('Invoice 2026-0042\nTotal amount 1234.50 EUR');
    expect(page.confidence).toBeGreaterThan(0.8);
    const [left, top, right, bottom] = (page.lines[0]?.box ?? []) as number[];
    expect([left, top, right, bottom].every((edge) => Number.isFinite(edge))).toBe(true);
    expect(Math.abs((left as number) - 80)).toBeLessThan(15);
  });
});

describe('hostile input', () => {
  const rejected = (work: Promise<unknown>, fault: string) => expect(work).rejects.toMatchObject({ fault });

  it('that is truncated, empty or no PDF at all is damaged', async () => {
    const whole = pdfOf([[{ text: 'Offer', x: 60, y: 700 }]]);
    for (const content of ['', '%PDF-1.7', 'no document', whole.subarray(0, 60)])
      await rejected(read(content), 'damaged');
  });

  it('that is encrypted is reported as such', async () => {
    const encryption =
      '<< /Filter /Standard /V 1 /R 2 /O (12345678901234567890123456789012) /U (12345678901234567890123456789012) /P -44 >>';
    await rejected(
      read(aPdf({ trailer: `/Encrypt ${encryption} /ID [(1234567890123456) (1234567890123456)]` })),
      'encrypted',
    );
  });

  it('whose pages refer to themselves is damaged', async () => {
    await rejected(read(aPdf({ pages: '<< /Type /Pages /Kids [2 0 R 2 0 R] /Count 2 >>' })), 'damaged');
  });

  it('that claims a million pages is read as far as it has any', async () => {
    const { pages } = await read(aPdf({ pages: '<< /Type /Pages /Kids [3 0 R] /Count 1000000 >>' }));
    expect(pages).toHaveLength(1);
  });

  it('that contains scripts is read without running them', async () => {
    const open = '/OpenAction << /S /JavaScript /JS (app.alert\\(1\\); while\\(true\\) {}) >>';
    const { pages } = await read(aPdf({ catalog: open, content: 'BT /F1 12 Tf 60 700 Td (Hello) Tj ET' }));
    expect(pages[0]?.text).toBe('Hello');
  });

  it('that decompresses to gigabytes is too large, and the next document is read', async () => {
    // Deflate packs repetitions by a thousand.
    const bomb = deflateSync(Buffer.alloc(900_000_000, ' '), { level: 1 });
    await rejected(read(aPdf({ content: bomb, filter: '/Filter /FlateDecode' })), 'too_large');
    expect((await read(pdfOf([[{ text: 'Next', x: 60, y: 700 }]]))).pages[0]?.text).toBe('Next');
  });

  it('whose page is as large as a country has no preview', async () => {
    await rejected(previews(aPdf({ box: '[0 0 100000000 100000000]' }), 'pdf'), 'damaged');
  });

  it('that is a picture of 100,000 x 100,000 pixels is too large, before it is decoded', async () => {
    const header = Buffer.alloc(13);
    header.writeUInt32BE(100_000, 0);
    header.writeUInt32BE(100_000, 4);
    header.set([8, 2, 0, 0, 0], 8);
    const chunk = (type: string, data: Buffer) => {
      const length = Buffer.alloc(4);
      length.writeUInt32BE(data.length);
      return Buffer.concat([length, Buffer.from(type), data, Buffer.alloc(4)]);
    };
    const png = Buffer.concat([
      Buffer.from('89504e470d0a1a0a', 'hex'),
      chunk('IHDR', header),
      chunk('IDAT', deflateSync(Buffer.alloc(1_000))),
      chunk('IEND', Buffer.alloc(0)),
    ]);
    await rejected(previews(png, 'picture'), 'too_large');
  });
});
