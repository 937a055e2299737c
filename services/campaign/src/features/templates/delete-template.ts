import { templateDeleted, type templates } from '@tandem/campaign-contract';
import { fail } from '@tandem/service';
import type { Handler, Tools, Tx } from '../../handler.ts';
import { type Reader, usersOf } from '../work/users-of.ts';
import { eventOf, lockTemplate } from './template.ts';

export const deleteTemplate =
  (tools: Pick<Tools, 'ids'>): Handler<typeof templates.deleteTemplate> =>
  async (context) => {
    const { params, caller, tx, emit, ifMatch } = context;
    const template = await lockTemplate(tx, params.id);
    ifMatch(template);
    const code = tools.ids.encode('template', caller.tenantId as number, template.id);
    await checkUnused(context, code);
    await tx.template.deleteMany({ where: { id: template.id } });
    emit(templateDeleted, eventOf(template));
    return { id: template.id, deleted: true };
  };

/** Fails while a node of a workflow that runs, or that can be resumed, has the template. Its data has the public id. */
async function checkUnused({ tx, ...reader }: Reader & { tx: Tx }, code: string): Promise<void> {
  const node = JSON.stringify([{ data: { templateId: code } }]);
  const rows = await tx.sql<{ id: number }>`SELECT DISTINCT workflow.id FROM workflow
    LEFT JOIN workflow_version AS version ON version.workflow_id = workflow.id
    WHERE workflow.tenant_id = platform.tenant_id() AND workflow.environment = platform.environment()
      AND workflow.status IN ('published', 'paused')
      AND (workflow.nodes @> ${node}::jsonb OR version.nodes @> ${node}::jsonb)`;
  if (!rows.length) return;
  const where = { id: { in: rows.map(({ id }) => id) } };
  const workflows = { type: 'workflow', permission: 'workflows:read' } as const;
  throw fail('template_in_use', await usersOf(reader, workflows, (only) => tx.workflow.findMany({ where, ...only })));
}
