import { PDFDocument } from '@cantoo/pdf-lib';
import { until } from '@tandem/testing';
import sharp from 'sharp';
import { aPdf, pdfOf } from '../../documents/pdf.test-document.ts';
import { aScan } from '../../documents/scan.test-document.ts';
import { startFiles, type TestFiles } from '../../files.test-service.ts';

let service: TestFiles;
beforeAll(async () => {
  service = await startFiles();
});
afterAll(() => service?.close());

type Api = ReturnType<TestFiles['as']>;
const upload = async (api: Api, content: Buffer | string, filename = 'scan.pdf') =>
  (await api.uploadFile({ form: { file: { content, filename } } })).data;
const start = (api: Api, id: string, body: object = {}) => api.startOcr({ params: { id }, body });
const ended = (api: Api, id: string) =>
  until('the job has ended', async () => {
    const { data } = await api.getFileOcr({ params: { id } });
    return ['completed', 'failed'].includes(data.status) && data;
  });
const invoice = pdfOf([
  [
    { text: 'Invoice number: 2026-0042', x: 60, y: 760 },
    { text: 'Item', x: 60, y: 700 },
    { text: 'Price', x: 400, y: 700 },
    { text: 'Difference engine', x: 60, y: 670 },
    { text: '17,000.00', x: 400, y: 670 },
    { text: 'Total: 17,000.00 EUR', x: 60, y: 600 },
  ],
  [{ text: 'Terms', x: 60, y: 760 }],
]);

/** The document with a scanned page at its end. */
async function withPage(pdf: Buffer, jpeg: Buffer): Promise<Buffer> {
  const document = await PDFDocument.load(pdf);
  const picture = await document.embedJpg(jpeg);
  document.addPage([620, 300]).drawImage(picture, { x: 0, y: 0, width: 620, height: 300 });
  return Buffer.from(await document.save());
}

it('the text of a PDF is read with its pages, lines and tables, and the event tells it', async () => {
  const api = service.as();
  const file = await upload(api, invoice);
  const { status, data: started } = await start(api, file.id, { features: ['text', 'tables'] });
  expect([status, started]).toEqual([202, { id: expect.any(String), status: 'queued' }]);
  const job = await ended(api, file.id);
  expect(job).toMatchObject({
    id: started.id,
    fileId: file.id,
    versionId: file.versionId,
    status: 'completed',
    engine: 'text_layer',
    progress: { done: 2, total: 2 },
    tables: [
      {
        page: 1,
        rows: [
          ['Item', 'Price'],
          ['Difference engine', '17,000.00'],
        ],
      },
    ],
    error: null,
  });
  expect(job.text).toBe(
    'Invoice number: 2026-0042\nItem Price\nDifference engine 17,000.00\nTotal: 17,000.00 EUR\n\nTerms',
  );
  expect(job.pages[0]?.lines[0]).toMatchObject({ text: 'Invoice number: 2026-0042', confidence: 1 });
  expect((await api.getOcrJob({ params: { id: file.id, jobId: started.id } })).data.text).toBe(job.text);
  expect((await api.getFile({ params: { id: file.id } })).data.ocrStatus).toBe('completed');
  const event = await until('the event is published', () =>
    service.events.find(
      ({ name, data }) => name === 'file.ocr_completed' && (data as { fileId?: string }).fileId === file.id,
    ),
  );
  expect(event.data).toMatchObject({ ocrJobId: started.id, status: 'completed', pages: 2 });
});

it('a picture and the scanned pages of a PDF are recognized', async () => {
  const api = service.as();
  const file = await upload(api, await aScan(['Grundpreis 1200 EUR', 'Laufzeit zwei Jahre']), 'scan.png');
  await start(api, file.id, { languages: ['deu', 'eng'] });
  expect(await ended(api, file.id)).toMatchObject({
    status: 'completed',
    engine: 'tesseract',
    text: 'Grundpreis 1200 EUR\nLaufzeit zwei Jahre',
  });
});

it('fields of a schema are found beside their labels when no model is configured, with their place', async () => {
  const api = service.as();
  const file = await upload(api, invoice);
  const schema = {
    type: 'object',
    properties: { invoiceNumber: { type: 'string' }, total: { type: 'number' }, dueDate: { type: 'string' } },
  };
  await start(api, file.id, { features: ['fields'], schema });
  const { fields } = await ended(api, file.id);
  expect(Object.keys(fields).sort()).toEqual(['invoiceNumber', 'total']);
  expect(fields.invoiceNumber).toMatchObject({ value: '2026-0042', page: 1, confidence: 1 });
  expect(fields.total).toMatchObject({ value: 17_000, page: 1 });
});

it('only the pages that a request names are read', async () => {
  const api = service.as();
  const file = await upload(api, invoice);
  await start(api, file.id, { pages: [2, 7] });
  expect(await ended(api, file.id)).toMatchObject({ text: 'Terms', progress: { done: 1, total: 1 } });
  await start(api, file.id, { pages: [9] });
  await until(
    'the job of a missing page failed',
    async () => (await api.getFileOcr({ params: { id: file.id } })).data.error?.code === 'no_such_page',
  );
});

it('a document of which some pages were read is found by the words of all pages', async () => {
  const api = service.as();
  const file = await upload(api, invoice);
  const found = async (text: string) => (await api.listFiles({ query: { text } })).data.length;
  await until('the document is found by its text', async () => (await found('difference engine')) === 1);
  await start(api, file.id, { pages: [2] });
  await ended(api, file.id);
  expect([await found('difference engine'), await found('terms')]).toEqual([1, 1]);
});

it('recognized words stay when the content is prepared later, and are those of a restored version', async () => {
  const api = service.as();
  const scan = await sharp(await aScan(['Grundpreis 1200 EUR']))
    .jpeg()
    .toBuffer();
  const file = await upload(api, await withPage(invoice, scan));
  const params = { id: file.id };
  const found = async (text: string) => (await api.listFiles({ query: { text } })).data.length;
  await until('the document is found by its text', async () => (await found('difference engine')) === 1);
  await start(api, file.id, { languages: ['deu'] });
  const { id: jobId, text } = await ended(api, file.id);
  expect([await found('grundpreis'), await found('difference')]).toEqual([1, 1]);
  const prepared = async () =>
    (await service.sqlWithin(api.caller, `SELECT FROM platform.job WHERE name = 'prepare-content'`)).length === 0;
  await service.sqlWithin(
    api.caller,
    `INSERT INTO platform.job (name, payload, due_at) VALUES ('prepare-content', $1::jsonb, now())`,
    [JSON.stringify({ fileId: file.id })],
  );
  await until('the content is prepared again', prepared);
  expect([await found('grundpreis'), await found('difference')]).toEqual([1, 1]);
  await api.createFileVersion({ params, form: { file: { content: 'Another text', filename: 'a.txt' } } });
  const { versionId } = file;
  const { data: restored } = await api.restoreFileVersion({ params: { ...params, versionId } });
  expect((await api.getFile({ params })).data).toMatchObject({ ocrStatus: 'completed', versionId: restored.id });
  expect(await found('grundpreis')).toBe(1);
  const { data: read } = await api.getFileOcr({ params });
  expect([read.versionId, read.text, read.id === jobId]).toEqual([restored.id, text, false]);
  await api.deleteFileVersion({ params: { ...params, versionId } });
  await until('the restored version is prepared', prepared);
  expect([await found('grundpreis'), await found('difference'), await found('another')]).toEqual([1, 1, 0]);
  expect((await api.getFileOcr({ params })).data.text).toBe(text);
});

it('a version that was read with the same options is not read again, unless that is forced', async () => {
  const api = service.as();
  const file = await upload(api, invoice);
  const [first, second] = await Promise.all([start(api, file.id), start(api, file.id)]);
  expect([first.status, second.status].sort()).toEqual([200, 202]);
  expect(first.data.id).toBe(second.data.id);
  await ended(api, file.id);
  const again = await start(api, file.id, { languages: ['eng'] });
  expect([again.status, again.data]).toEqual([200, { id: first.data.id, status: 'completed' }]);
  const forced = await start(api, file.id, { force: true });
  expect([forced.status, forced.data.id === first.data.id]).toEqual([202, false]);
  const other = await start(api, file.id, { languages: ['deu'] });
  expect(other.status).toBe(202);
});

it('a new version has no text until it is read; the earlier one keeps its text', async () => {
  const api = service.as();
  const file = await upload(api, invoice);
  await start(api, file.id);
  const first = await ended(api, file.id);
  const form = { file: { content: pdfOf([[{ text: 'Second', x: 60, y: 700 }]]), filename: 'second.pdf' } };
  const { data: version } = await api.createFileVersion({ params: { id: file.id }, form });
  expect((await api.getFile({ params: { id: file.id } })).data.ocrStatus).toBeNull();
  expect((await api.getFileOcr({ params: { id: file.id } })).data.id).toBe(first.id);
  await start(api, file.id);
  await until(
    'the new version was read',
    async () => (await api.getFileOcr({ params: { id: file.id } })).data.text === 'Second',
  );
  await start(api, file.id, { versionId: first.versionId, force: true });
  expect((await api.getFileOcr({ params: { id: file.id } })).data.versionId).toBe(version.id);
});

it.each([
  [
    'encrypted',
    aPdf({
      trailer:
        '/Encrypt << /Filter /Standard /V 1 /R 2 /O (12345678901234567890123456789012) /U (12345678901234567890123456789012) /P -44 >> /ID [(1234567890123456) (1234567890123456)]',
    }),
  ],
  ['damaged', Buffer.from('%PDF-1.7\nnothing')],
])('the job of a document that is %s fails with that reason', async (code, content) => {
  const api = service.as();
  const file = await upload(api, content);
  await start(api, file.id);
  expect(await ended(api, file.id)).toMatchObject({ status: 'failed', error: { code } });
  expect((await api.getFile({ params: { id: file.id } })).data.ocrStatus).toBe('failed');
});

it('files without text, other versions and schemas that cannot be used are refused', async () => {
  const api = service.as();
  const zip = await upload(api, Buffer.from('504b0304140000000000000000000000', 'hex'), 'a.zip');
  expect((await start(api, zip.id)).body.code).toBe('unsupported_type');
  const file = await upload(api, invoice);
  const other = await upload(api, invoice);
  expect((await start(api, file.id, { versionId: other.versionId })).body.errors?.[0]?.field).toBe('versionId');
  for (const [body, field] of [
    [{ features: ['fields'] }, 'schema'],
    [{ pages: [1, 2, 1] }, 'pages'],
    [{ schema: { type: 'object' } }, 'schema'],
    [{ features: ['fields'], schema: { type: 'array' } }, 'schema'],
    [{ features: ['fields'], schema: { type: 'object', properties: { a: { type: 'nonsense' } } } }, 'schema'],
    [{ languages: ['eng', 'eng'] }, 'languages'],
    [{ pages: [0] }, 'pages.0'],
  ] as const) {
    const { status, body: answer } = await start(api, file.id, body);
    expect([body, status, answer.errors?.[0]?.field]).toEqual([body, 422, field]);
  }
  expect((await api.getFileOcr({ params: { id: other.id } })).status).toBe(404);
});

it('labels are found as whole words, and long lines and empty labels do not hold up the service', async () => {
  const api = service.as();
  const properties = {
    total: { type: 'number' },
    place: { type: 'string', title: '  Place of  delivery ' },
    empty: { type: 'string', title: ' ' },
  };
  const text = `Subtotal: 5\nTotal : 7\nPlace  of\tdelivery:  Bern, Zentrum\n${' '.repeat(900_000)}total ${'x'.repeat(300)}`;
  const file = await upload(api, text, 'a.txt');
  const began = performance.now();
  await start(api, file.id, { features: ['fields'], schema: { type: 'object', properties } });
  const { fields } = await ended(api, file.id);
  expect([fields.total?.value, fields.place?.value, fields.empty]).toEqual([7, 'Bern, Zentrum', undefined]);
  expect(performance.now() - began).toBeLessThan(5_000);
});

it('a version that is deleted takes its text with it, and a new version without text is not found by the old one', async () => {
  const api = service.as();
  const file = await upload(api, 'A secret clause', 'a.txt');
  const params = { id: file.id };
  const { data: job } = await start(api, file.id);
  await ended(api, file.id);
  const found = async () => (await api.listFiles({ query: { text: 'secret' } })).data.length;
  await until('the file is found', async () => (await found()) === 1);
  const content = Buffer.from([0, 1, 2]);
  await api.createFileVersion({ params, form: { file: { content, filename: 'a.bin' } } });
  expect(await found()).toBe(0);
  const read = () => api.getOcrJob({ params: { id: file.id, jobId: job.id } });
  expect((await read()).data.text).toBe('A secret clause');
  await api.deleteFileVersion({ params: { ...params, versionId: file.versionId } });
  expect((await read()).status).toBe(404);
});
