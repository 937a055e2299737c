import type { connectorRuns } from '@tandem/integrations-contract';
import type { Handler } from '../../handler.ts';
import { asRun, findRun } from './run.ts';

export const getConnectorRun: Handler<typeof connectorRuns.getConnectorRun> = async ({ params, tx }) =>
  asRun(await findRun(tx, params.id, params.runId));
