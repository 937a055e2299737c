import { id, timestamp } from '@tandem/contract';
import { z } from 'zod';

/** The job that announces the end of a certificate, and the one that ends it. */
export const certificateTimeJob = {
  name: 'end-certificate',
  payload: z.object({
    certificateId: id('certificate'),
    expiresAt: timestamp(),
    kind: z.enum(['expiring', 'expired']),
  }),
};
