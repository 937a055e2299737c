import { unionNumber } from '@tandem/contract';
import { type TestService, testService } from '@tandem/testing';
import type { training } from '@tandem/training-contract';
import { type FilesPeer, filesPeer } from './files-peer.test-service.ts';
import { startPeers } from './peers.test-service.ts';
import { trainingService } from './service.ts';

export { nobody, suspended } from './peers.test-service.ts';

export type Service = TestService<typeof training>;
export type TrainingService = Service & { files: FilesPeer };
export type Api = ReturnType<Service['as']>;

/** Starts training with peers on the loopback interface. */
export async function startTraining(): Promise<TrainingService> {
  const [peers, files] = await Promise.all([startPeers(), filesPeer()]);
  const service = await testService('training', (settings) =>
    trainingService({
      ...settings,
      IDENTITY_URL: peers.url,
      PARTNER_URL: peers.url,
      CRM_URL: peers.url,
      FILES_URL: files.url,
      PUBLIC_URL: 'https://api.example.com',
      IDS_ALPHABET: process.env['IDS_ALPHABET'] as string,
    }),
  );
  return {
    ...service,
    files,
    async close() {
      await service.close();
      await Promise.all([peers.close(), files.close()]);
    },
  };
}

/** The id of a learner between gateway and services. */
export const learner = (type: 'user' | 'partner' | 'lead', id: number | string): string =>
  String(unionNumber('learner', type, Number(id)));
