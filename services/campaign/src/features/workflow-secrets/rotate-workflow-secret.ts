import { type triggers, workflowSecretRotated } from '@tandem/campaign-contract';
import { fail, reachOf } from '@tandem/service';
import type { Handler, Tools } from '../../handler.ts';
import { asWorkflow, lockWorkflow } from '../workflows/workflow.ts';
import { newSecret } from './secret.ts';

export const rotateWorkflowSecret =
  (tools: Pick<Tools, 'seal' | 'ids' | 'publicUrl'>): Handler<typeof triggers.rotateWorkflowSecret> =>
  async ({ params, caller, tx, emit, ifMatch }) => {
    const row = await lockWorkflow(tx, params.id);
    ifMatch(row);
    if (row.status === 'archived') throw fail('workflow_archived');
    // The secret allows its owner to enroll any lead, and to learn which addresses are leads.
    if (reachOf(caller, 'leads:read') !== 'all')
      throw fail('forbidden', [{ field: 'id', message: 'Requires the permission leads:read for all records' }]);
    const { secret, sealed } = newSecret(tools, row.id);
    const [written] = await tx.workflow.updateManyAndReturn({
      where: { id: row.id },
      data: {
        secret: sealed,
        previousSecret: row.secret,
        secretRotatedAt: new Date(),
        version: { increment: 1 },
      },
    });
    if (!written) throw fail('not_found');
    emit(workflowSecretRotated, {
      data: { workflowId: row.id, campaignId: row.campaignId, publishedVersion: row.publishedVersion },
      record: asWorkflow(written),
    });
    const url = `${tools.publicUrl}/v1/public/workflows/${tools.ids.encode('workflow', row.tenantId, row.id)}/trigger`;
    return { workflowId: row.id, url, secret, version: written.version };
  };
