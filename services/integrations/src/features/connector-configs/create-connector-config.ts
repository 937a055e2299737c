import { connectorConfigCreated, type connectorConfigs } from '@tandem/integrations-contract';
import { toJsonColumn } from '@tandem/service';
import { connectorOf } from '../../connectors/index.ts';
import type { Handler } from '../../handler.ts';
import { planSyncs } from '../connector-runs/start-sync.ts';
import { authorizationOf } from '../webhooks/webhook.ts';
import { checkAccount } from './check-account.ts';
import {
  aboutConfig,
  asConnectorConfig,
  checkConfigLimit,
  lockConfigs,
  lockConnectionOf,
  readSettings,
} from './connector-config.ts';

export const createConnectorConfig: Handler<typeof connectorConfigs.createConnectorConfig> = async ({
  body,
  caller,
  tx,
  emit,
  schedule,
}) => {
  const { connectorKey, connectionId, fieldMappings = [], active = true } = body;
  const connector = connectorOf(connectorKey);
  const settings = readSettings(connector, { settings: body.settings ?? {}, fieldMappings }, caller);
  await lockConnectionOf(tx, connectorKey, connectionId, caller);
  await lockConfigs(tx);
  await checkConfigLimit(tx);
  const authorization = authorizationOf(caller);
  const created = await tx.connectorConfig.create({
    data: {
      connectorKey,
      connectionId,
      settings: toJsonColumn(settings),
      fieldMappings,
      active,
      createdBy: authorization.authorizedBy,
      ...authorization,
    },
  });
  await checkAccount(tx, created);
  const row = await planSyncs({ tx, schedule }, created);
  const config = asConnectorConfig(row);
  emit(connectorConfigCreated, { data: aboutConfig(row), record: config });
  return config;
};
