import { files } from '@tandem/files-contract';
import { until } from '@tandem/testing';
import sharp from 'sharp';
import { pdfOf } from '../../documents/pdf.test-document.ts';
import { publicUrl, startFiles, type TestFiles } from '../../files.test-service.ts';

let service: TestFiles;
beforeAll(async () => {
  service = await startFiles();
});
afterAll(() => service?.close());

type Api = ReturnType<TestFiles['as']>;
const upload = async (api: Api, content: Buffer | string, filename: string) =>
  (await api.uploadFile({ form: { file: { content, filename } } })).data;
const withText = async (api: Api, text: string, more: Record<string, string> = {}) =>
  (await api.listFiles({ query: { text, ...more } })).data.map(({ id }: { id: string }) => id);
const preview = (api: Api, id: string, query: Record<string, string> = {}) =>
  api.getFilePreview({ params: { id }, query });
const readyPreview = (api: Api, id: string, query: Record<string, string> = {}) =>
  until('the preview is ready', async () => {
    const reply = await preview(api, id, query);
    return reply.body.code !== 'preview_pending' && reply;
  });
const offer = (text: string) => pdfOf([[{ text, x: 60, y: 700 }]]);
const photo = () =>
  sharp({ create: { width: 2_000, height: 1_000, channels: 3, background: 'red' } })
    .jpeg()
    .toBuffer();

/** The picture that a link returns. */
async function shown(url: string) {
  const { tenantId, ...nobody } = service.as({ type: 'anonymous' }).caller;
  const token = url.slice(`${publicUrl}/v1/public/files/`.length);
  return service.send(files.serveFile, { params: { token } }, nobody);
}

it('a file is found by the words in it, in PDF files and plain texts, and by those of its new version', async () => {
  const api = service.as();
  const pdf = await upload(api, offer('Offer for the difference engine'), 'a.pdf');
  const note = await upload(api, 'The engine needs oil', 'b.txt');
  await until('both are indexed', async () => (await withText(api, 'engine')).length === 2);
  expect(await withText(api, 'difference engine')).toEqual([pdf.id]);
  expect(await withText(api, 'engine -difference')).toEqual([note.id]);
  expect(await withText(api, 'engine', { q: 'b.txt' })).toEqual([note.id]);
  expect(await withText(service.as(), 'engine')).toEqual([]);
  await api.createFileVersion({
    params: { id: pdf.id },
    form: { file: { content: offer('Contract'), filename: 'c.pdf' } },
  });
  await until('the new version is indexed', async () => (await withText(api, 'contract')).includes(pdf.id));
  expect(await withText(api, 'difference')).toEqual([]);
  await api.deleteFile({ params: { id: pdf.id } });
  expect(await withText(api, 'contract')).toEqual([]);
});

it('the words of texts are searched among the files of one record', async () => {
  const api = service.as();
  const attach = async (entityId: string) => {
    const file = { content: 'The engine needs oil', filename: 'a.txt' };
    return (await api.uploadFile({ form: { fields: { entityType: 'lead', entityId }, file } })).data;
  };
  const [mine] = [await attach('one'), await attach('other')];
  await until('both are indexed', async () => (await withText(api, 'engine')).length === 2);
  expect(await withText(api, 'engine', { entityId: 'one' })).toEqual([mine.id]);
  expect(await withText(api, 'steam', { entityId: 'one' })).toEqual([]);
});

it('pictures and PDF files have previews, in two sizes', async () => {
  const api = service.as();
  const picture = await upload(api, await photo(), 'photo.jpg');
  const large = await readyPreview(api, picture.id);
  expect([large.status, large.body.message]).toEqual([200, 'Preview link created']);
  const small = await preview(api, picture.id, { size: 'small' });
  const replies = [await shown(large.data.url), await shown(small.data.url)];
  expect(
    replies.map(({ status, headers }) => [status, headers['content-type'], headers['content-disposition']]),
  ).toEqual(Array(2).fill([200, 'image/webp', expect.stringMatching(/^inline; filename="photo\.jpg\.webp"/)]));
  const pdf = await upload(api, offer('Offer'), 'a.pdf');
  expect((await readyPreview(api, pdf.id, { size: 'small' })).status).toBe(200);
  const redirected = await preview(api, pdf.id, { redirect: 'true' });
  expect([redirected.status, redirected.headers['location']]).toEqual([302, redirected.data.url]);
});

it('files of other types and damaged ones have none', async () => {
  const api = service.as();
  const note = await upload(api, 'A note', 'b.txt');
  expect((await readyPreview(api, note.id)).body.code).toBe('no_preview');
  const damaged = await upload(api, Buffer.from('%PDF-1.7\nnothing'), 'a.pdf');
  expect((await readyPreview(api, damaged.id)).body.code).toBe('no_preview');
});

it('a removed file leaves no preview in the store', async () => {
  const api = service.as();
  const picture = await upload(api, await photo(), 'photo.jpg');
  await readyPreview(api, picture.id);
  const stored = () =>
    service.stored().then((paths) => paths.filter((path) => path.includes(`/${api.caller.tenantId}/`)));
  expect(await stored()).toHaveLength(3);
  await api.deleteFile({ params: { id: picture.id }, query: { permanent: 'true' } });
  await until('the store is empty', async () => (await stored()).length === 0);
});

it('a text of many words in another script is found by its beginning', async () => {
  const api = service.as();
  const words = Array.from({ length: 150_000 }, (_, index) => `слово${index}`).join(' ');
  const file = await upload(api, words, 'a.txt');
  await until('the text is indexed', async () => (await withText(api, 'слово17')).includes(file.id));
});
