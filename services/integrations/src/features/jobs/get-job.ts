import { jobOf } from '@tandem/contract';
import type { jobs } from '@tandem/integrations-contract';
import { fail, reachOf } from '@tandem/service';
import type { Recovery } from '../../generated/client.ts';
import type { Handler } from '../../handler.ts';

export const getJob: Handler<typeof jobs.getJob, Recovery> = {
  // Access to a recovery follows access to its webhook; a deleted webhook keeps its owner.
  async check({ params, caller, tx, under }) {
    const place = jobOf(params.id);
    if (place?.service !== 'integrations' || reachOf(caller, 'webhooks:read') === 'none') throw fail('not_found');
    const recovery = await under('webhooks:read', async () => {
      const found = await tx.recovery.findFirst({ where: { id: place.row } });
      return found && (await tx.webhook.count({ where: { id: found.webhookId } })) ? found : undefined;
    });
    if (!recovery) throw fail('not_found');
    return recovery;
  },
  run({ found: { id, kind, matched, requeued, createdAt, completedAt } }) {
    return {
      jobId: id,
      kind: `webhook_${kind}`,
      status: completedAt ? 'completed' : 'queued',
      progress: { done: requeued, total: matched },
      result: null,
      download: null,
      error: null,
      createdAt,
      completedAt,
    };
  },
};
