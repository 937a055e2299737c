import { templateDeleted, type templates } from '@tandem/campaign-contract';
import { fail } from '@tandem/service';
import type { Handler, Tools, Tx } from '../../handler.ts';
import { eventOf, lockTemplate } from './template.ts';

export const deleteTemplate =
  (tools: Pick<Tools, 'ids'>): Handler<typeof templates.deleteTemplate> =>
  async ({ params, caller, tx, emit, ifMatch }) => {
    const template = await lockTemplate(tx, params.id);
    ifMatch(template);
    const code = tools.ids.encode('template', caller.tenantId as number, template.id);
    if (await isInUse(tx, code)) throw fail('template_in_use');
    await tx.template.deleteMany({ where: { id: template.id } });
    emit(templateDeleted, eventOf(template));
    return { id: template.id, deleted: true };
  };

/** Whether a node of a workflow that runs, or that can be resumed, has the template. Its data has the public id. */
async function isInUse(tx: Tx, code: string): Promise<boolean> {
  const node = JSON.stringify([{ data: { templateId: code } }]);
  const rows = await tx.sql`SELECT workflow.id FROM workflow
    LEFT JOIN workflow_version AS version ON version.workflow_id = workflow.id
    WHERE workflow.tenant_id = platform.tenant_id() AND workflow.environment = platform.environment()
      AND workflow.status IN ('published', 'paused')
      AND (workflow.nodes @> ${node}::jsonb OR version.nodes @> ${node}::jsonb) LIMIT 1`;
  return rows.length > 0;
}
