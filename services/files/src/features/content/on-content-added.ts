import { type ConsumerContext, consumer } from '@tandem/events';
import { fileStatusChanged, fileUploaded, fileVersionCreated } from '@tandem/files-contract';
import type { Tx } from '../../handler.ts';
import { prepareContentJob } from './prepare-content.job.ts';

/**
 * New content gets previews, and lists find it by its text. A version that waited for the scanner is not available when it is
 * created: its status changes later.
 */
export const prepareNewContent = consumer({
  name: 'prepare-new-content',
  on: [fileUploaded, fileVersionCreated, fileStatusChanged],
  async handle(events, { schedule }: ConsumerContext<Tx>) {
    const available = events.filter(({ record }) => record.status === 'available');
    const fileIds = new Set(available.map(({ data }) => data.fileId));
    await schedule(
      prepareContentJob,
      [...fileIds].map((fileId) => ({ fileId })),
    );
  },
});
