import type { jobOperations } from '@tandem/contract';
import type { Handler, Tools } from '../../handler.ts';
import { identityJobs, isReadableIn } from './audit-export.ts';

/** Exports of the audit log are the background jobs of identity. */
export const getJob = ({ exportLinks, publicUrl }: Tools): Handler<typeof jobOperations.getJob> =>
  identityJobs.getJob({
    linkTo: (link, expiresAt) =>
      `${publicUrl.replace(/\/$/, '')}/v1/public/audit-exports/${exportLinks.issue(link, expiresAt)}`,
    isReadable: ({ environment }, input) => isReadableIn(environment, input),
  });
