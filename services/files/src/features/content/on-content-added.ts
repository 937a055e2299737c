import { type ConsumerContext, consumer } from '@tandem/events';
import { fileUploaded, fileVersionCreated } from '@tandem/files-contract';
import type { Tx } from '../../handler.ts';
import { prepareContentJob } from './prepare-content.job.ts';

/** New content gets previews, and lists find it by its text. */
export const prepareNewContent = consumer({
  name: 'prepare-new-content',
  on: [fileUploaded, fileVersionCreated],
  async handle(events, { schedule }: ConsumerContext<Tx>) {
    const fileIds = new Set(events.map(({ data }) => data.fileId));
    await schedule(
      prepareContentJob,
      [...fileIds].map((fileId) => ({ fileId })),
    );
  },
});
