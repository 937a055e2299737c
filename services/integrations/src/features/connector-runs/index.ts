import type { connectorRuns } from '@tandem/integrations-contract';
import type { Handlers } from '@tandem/service';
import type { Tools, Tx } from '../../handler.ts';
import { cancelConnectorRun } from './cancel-connector-run.ts';
import { getConnectorRun } from './get-connector-run.ts';
import { listConnectorRunItems } from './list-connector-run-items.ts';
import { listConnectorRuns } from './list-connector-runs.ts';
import { previewConnection } from './preview-connection.ts';
import { retryConnectorRun } from './retry-connector-run.ts';
import { syncConnectorConfig } from './sync-connector-config.ts';

export const connectorRunHandlers = (tools: Tools) =>
  ({
    syncConnectorConfig,
    listConnectorRuns,
    getConnectorRun,
    listConnectorRunItems,
    cancelConnectorRun,
    retryConnectorRun,
    previewConnection: previewConnection(tools),
  }) satisfies Handlers<typeof connectorRuns, Tx>;
