import { id } from '@tandem/contract';
import { auditExported } from '@tandem/identity-contract';
import type { IdCodec } from '@tandem/ids';
import { type GiveUpContext, type JobContext, job } from '@tandem/jobs';
import { z } from 'zod';
import type { Tx } from '../../handler.ts';
import { ExportInput, exportDays, identityJobs, readExported } from './audit-export.ts';
import { exportedTexts, failedTexts, notifyOfExport } from './notify-of-export.ts';
import { walkChain } from './walk-chain.ts';

/** Job that verifies the chain of an export and counts its entries. The file is written when it is downloaded. */
export const exportAuditLogJob = { name: 'export-audit-log', payload: z.object({ jobId: id('job') }) };
type Payload = z.output<typeof exportAuditLogJob.payload>;

const positionsPerRead = 5_000;
const dayMs = 86_400_000;

export const exportAuditLog = (ids: IdCodec) =>
  job({
    ...exportAuditLogJob,
    async run({ payload: { jobId }, scope, tx, finish }: JobContext<Payload, Tx>) {
      const found = await identityJobs.find(tx.sql, jobId);
      if (!found || found.completedAt) return;
      const input = ExportInput.parse(found.input);
      const { after, last } = input;
      const { anchor, broken } = await walkChain({
        tenantId: scope.tenantId,
        ids,
        read: (work) => work(tx),
        upTo: last,
        onPage: (done, total) => identityJobs.progress(tx.sql, jobId, { done, total }),
      });
      let rows = 0;
      for (let from = after.position; from < last.position; from += positionsPerRead) {
        const to = Math.min(from + positionsPerRead, last.position);
        rows += (await readExported(tx, input, { from, to })).length;
      }
      const verification = {
        verified: !broken,
        entries: last.position - anchor.position,
        firstPosition: anchor.position + 1,
        lastPosition: last.position,
        headHash: last.hash,
        ...(broken && { reason: broken.reason }),
      };
      await finish(async ({ tx: end, emit }) => {
        const expiresAt = new Date(Date.now() + exportDays * dayMs);
        const result = { format: input.format, rows, expiresAt, verification };
        await identityJobs.complete(end.sql, jobId, { result, total: verification.entries, expiresAt });
        emit(auditExported, { data: { jobId, rows, verified: !broken }, record: { id: jobId } });
        await notifyOfExport(
          { tx: end, emit },
          { jobId, userId: found.userId, texts: exportedTexts(rows, !broken) },
          ids,
        );
      });
    },
    async giveUp({ payload: { jobId }, tx, emit }: GiveUpContext<Payload, Tx>) {
      const found = await identityJobs.find(tx.sql, jobId);
      await identityJobs.fail(tx.sql, jobId, {
        code: 'export_failed',
        message: 'The export failed repeatedly; request it again',
      });
      await notifyOfExport({ tx, emit }, { jobId, userId: found?.userId ?? null, texts: failedTexts }, ids);
    },
  });
