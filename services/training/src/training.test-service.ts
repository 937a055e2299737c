import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { type TestService, testService } from '@tandem/testing';
import type { training } from '@tandem/training-contract';
import { type FilesPeer, filesPeer } from './files-peer.test-service.ts';
import { trainingService } from './service.ts';

/** User ids in the identity stub: 404 is unknown, 403 is suspended, all others are active. */
export const nobody = '404';
export const suspended = '403';

export type TrainingService = TestService<typeof training> & { files: FilesPeer };

/** Starts training with loopback servers for identity and files. */
export async function startTraining(): Promise<TrainingService> {
  const identity = createServer((request, response) => {
    const id = request.url?.split('/').at(-1) as string;
    const status = id === nobody ? 404 : 200;
    const data = { id, status: id === suspended ? 'suspended' : 'active', name: 'Ada Lovelace', teamIds: [] };
    response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify({ data }));
  });
  await new Promise<void>((resolve) => identity.listen(0, '127.0.0.1', resolve));
  const { port } = identity.address() as AddressInfo;
  const files = await filesPeer();
  const service = await testService('training', (settings) =>
    trainingService({ ...settings, IDENTITY_URL: `http://127.0.0.1:${port}`, FILES_URL: files.url }),
  );
  return {
    ...service,
    files,
    async close() {
      await service.close();
      await files.close();
      identity.closeAllConnections();
      identity.close();
    },
  };
}
