import { until } from '@tandem/testing';
import { type Api, type Service, startTraining } from '../../training.test-service.ts';
import { aCourse, aLesson } from '../../training-builders.test-service.ts';

let service: Service;
beforeAll(async () => {
  service = await startTraining();
});
afterAll(() => service?.close());

const url = 'https://example.com/video';

/** Walks through all pages as the command does; resolves to the sums. */
async function rebuild(api: Api) {
  const system = service.as({ ...api.caller, type: 'system', name: 'admin', can: [] });
  const total = { read: 0, written: 0, removed: 0 };
  let after: number | null = null;
  do {
    const { status, data } = await system.rebuildLessonContent({ body: { part: 'lessons', after } });
    expect(status).toBe(200);
    total.read += data.read;
    total.written += data.written;
    total.removed += data.removed;
    after = data.next;
  } while (after !== null);
  return total;
}

it('content that was stored before it was cleaned is cleaned once; other content stays', async () => {
  const api = service.as();
  const courseId = await aCourse(api);
  const stored = async (fields: object, content: string) => {
    const id = await aLesson(api, courseId, fields);
    await service.sqlWithin(api.caller, 'UPDATE lesson SET content = $2 WHERE id = $1', [id, content]);
    return id;
  };
  const text = await stored({}, '<p onclick="steal()">Ask.</p><script>steal()</script>');
  const deep = await stored({}, '<div>'.repeat(15_000));
  const link = await stored({ type: 'link', content: url }, 'javascript:steal()');
  const kept = await aLesson(api, courseId, { content: '<p>Ask &amp; listen.</p>' });
  const film = await aLesson(api, courseId, { type: 'video', content: url });
  for (let count = 0; count < 8; count++) await aLesson(api, courseId);
  const read = async (id: string) => (await api.getLesson({ params: { id } })).data;
  expect(await rebuild(api)).toEqual({ read: 13, written: 2, removed: 1 });
  expect(await read(text)).toMatchObject({ content: '<p>Ask.</p>', version: 2 });
  expect((await read(deep)).content).not.toContain('<div>'.repeat(1_000));
  expect(await read(link)).toMatchObject({ content: null, version: 2 });
  expect(await read(kept)).toMatchObject({ content: '<p>Ask &amp; listen.</p>', version: 1 });
  expect(await read(film)).toMatchObject({ content: url, version: 1 });
  expect(await rebuild(api)).toEqual({ read: 13, written: 0, removed: 0 });
  await until('the change is announced', () =>
    service.events.some(({ name, target }) => name === 'training.lesson.updated' && target.id === Number(text)),
  );
});

it('lessons of another tenant stay as they are', async () => {
  const api = service.as();
  const id = await aLesson(api, await aCourse(api));
  const raw = '<p onclick="steal()">Ask.</p>';
  await service.sqlWithin(api.caller, 'UPDATE lesson SET content = $2 WHERE id = $1', [id, raw]);
  expect(await rebuild(service.as())).toEqual({ read: 0, written: 0, removed: 0 });
  expect((await api.getLesson({ params: { id } })).data.content).toBe(raw);
});
