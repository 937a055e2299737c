import type { jobs } from '@tandem/integrations-contract';
import { fail } from '@tandem/service';
import type { Handler } from '../../handler.ts';

export const getJob: Handler<typeof jobs.getJob> = async ({ params, tx }) => {
  const recovery = await tx.recovery.findFirst({ where: { id: params.id } });
  // Access to the job follows access to its webhook; a deleted webhook keeps its owner.
  const webhook = recovery && (await tx.webhook.findFirst({ where: { id: recovery.webhookId }, select: { id: true } }));
  if (!webhook) throw fail('not_found');
  const { id, matched, requeued, createdAt, completedAt } = recovery;
  return {
    jobId: id,
    status: completedAt ? 'completed' : 'queued',
    progress: { done: requeued, total: matched },
    createdAt,
    completedAt,
  };
};
