import { files } from '@tandem/files-contract';
import { everyList } from '@tandem/testing';
import { startFiles, type TestFiles } from './files.test-service.ts';

let service: TestFiles;
beforeAll(async () => {
  service = await startFiles();
});
afterAll(() => service?.close());

everyList(files, () => service);
