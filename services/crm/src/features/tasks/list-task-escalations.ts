import type { escalations } from '@tandem/crm-contract';
import type { Handler } from '../../handler.ts';
import { asEscalation } from './escalation.ts';
import { checkTask } from './task.ts';

export const listTaskEscalations: Handler<typeof escalations.listTaskEscalations> = async ({ params, tx }) => {
  await checkTask(tx, params.id);
  const rows = await tx.taskEscalation.findMany({ where: { taskId: params.id }, orderBy: { level: 'asc' } });
  return rows.map(asEscalation);
};
