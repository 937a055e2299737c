import type { executions } from '@tandem/agents-contract';
import { fail } from '@tandem/service';
import type { Handler } from '../../handler.ts';
import { asExecution } from './execution.ts';

export const getExecution: Handler<typeof executions.getExecution> = async ({ params, tx }) => {
  const row = await tx.execution.findFirst({ where: { id: params.id } });
  if (!row) throw fail('not_found');
  return asExecution(row);
};
