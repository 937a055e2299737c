import { mkdir, rename, rmdir } from 'node:fs/promises';
import { until } from '@tandem/testing';
import { failAllAttempts, runNow, startFiles, type TestFiles } from '../../files.test-service.ts';

let service: TestFiles;
beforeAll(async () => {
  service = await startFiles();
});
afterAll(() => service?.close());

it('the bytes of a removed file are removed after an outage of the store, however long', async () => {
  const api = service.as();
  const storedOf = async () => (await service.stored()).filter((path) => path.includes(`/${api.caller.tenantId}/`));
  const { data } = await api.uploadFile({ form: { file: { content: 'hello' } } });
  const [path] = (await storedOf()) as [string];
  // A folder in place of the object lets its removal fail.
  await rename(path, `${path}.away`);
  await mkdir(path);
  await api.deleteFile({ params: { id: data.id }, query: { permanent: 'true' } });
  await failAllAttempts(service, api.caller, 'discard-object');
  await rmdir(path);
  await rename(`${path}.away`, path);
  await runNow(service, api.caller, 'discard-object');
  await until('the bytes are removed', async () => (await storedOf()).length === 0);
});
