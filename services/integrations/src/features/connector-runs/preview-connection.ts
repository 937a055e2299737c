import { actingUserId, type Caller } from '@tandem/caller';
import type { connectorRuns } from '@tandem/integrations-contract';
import type { z } from 'zod';
import { exampleEnvelope, firstEvent } from '../../catalogue.ts';
import type { CallRequest, FieldMapping, Secret } from '../../connectors/calling.ts';
import type { Connector } from '../../connectors/connector.ts';
import { connectorOf } from '../../connectors/index.ts';
import type { ExternalRecord, Sync } from '../../connectors/sync.ts';
import { shortened } from '../../connectors/values.ts';
import type { Handler, Tools, Tx } from '../../handler.ts';
import { withinLimits } from '../../outgoing/within-limits.ts';
import { concludeAccess } from '../connections/conclude-access.ts';
import { type ConnectionRow, findConnection, openCredentials } from '../connections/connection.ts';
import { failureOf } from '../connections/test-connection.ts';
import { type ConfigSettings, readSettings } from '../connector-configs/connector-config.ts';
import { applyMappings } from '../sync/map-fields.ts';
import { type Called, callSystem } from '../sync/read-page.ts';
import { targetOf } from '../sync/targets.ts';

type Records = z.output<typeof connectorRuns.previewConnection.reply>['records'];

interface Found {
  connection: ConnectionRow;
  called: Called<Records>;
}

const recordsMax = 10;
// The size of a free-form object in a response.
const shownMax = 16_384;

/** Calls the connected system in `check`, because no transaction may be open while waiting for it. */
export const previewConnection = (tools: Tools): Handler<typeof connectorRuns.previewConnection, Found> => ({
  async check({ params, body, caller, tx }) {
    const connection = await findConnection(tx, params.id);
    const connector = connectorOf(connection.connectorKey);
    const { fieldMappings = [] } = body;
    const settings = readSettings(connector, { settings: body.settings ?? {}, fieldMappings }, caller);
    const { sync } = connector;
    if (!sync) {
      const secret = connector.provider ? {} : openCredentials(tools.seal, connection);
      return {
        connection,
        called: { result: await whatIsSent(connector, secret, { settings, fieldMappings }), error: null },
      };
    }
    const showsPrivate = isCreator(connection, caller);
    const called = await withinLimits(tools.testLimits, connection, () =>
      preview(tx, tools, { connection, sync, settings, fieldMappings, showsPrivate }),
    );
    return { connection, called };
  },
  // A failure is part of the answer, so that what it says about the connection is stored.
  async run({ found: { connection, called }, caller, tx, emit, schedule }) {
    await concludeAccess({ tx, emit, schedule }, tools, connection, { called, as: caller });
    return { records: called.result ?? [], error: reasonOf(called) };
  },
});

function isCreator({ createdBy }: ConnectionRow, caller: Caller): boolean {
  return createdBy !== null && createdBy === actingUserId(caller);
}

function reasonOf({ error, access }: Called<Records>): string | null {
  return error === 'connection_lost' && access?.refresh ? failureOf(access.refresh) : error;
}

/** Reads the first records, and converts them as a sync does. */
function preview(
  tx: Tx,
  tools: Tools,
  from: {
    connection: ConnectionRow;
    sync: Sync;
    settings: ConfigSettings;
    fieldMappings: FieldMapping[];
    showsPrivate: boolean;
  },
): Promise<Called<Records>> {
  const { connection, sync, settings, fieldMappings, showsPrivate } = from;
  const context = { cursor: null, settings, fieldMappings, sockets: tools.sockets, limit: recordsMax };
  return callSystem(tx, tools, connection, async (access) => {
    const { records } = await sync.read({ ...access, ...context });
    return records.slice(0, recordsMax).map((record) => {
      const mapped = applyMappings(record, fieldMappings);
      const { kind, id: externalId, source, fields } = mapped;
      const target = targetOf(kind);
      const errors = [...target.check(mapped), ...(target.warnings?.(mapped) ?? [])];
      const isShown = showsPrivate || !isPrivate(record);
      return {
        kind,
        externalId,
        source: isShown ? shortened(source, shownMax) : {},
        result: isShown ? shortened({ ...fields }, shownMax) : {},
        errors,
      };
    });
  });
}

/** Whether the content is for the owner of the account only: mails, and events of a calendar, which may be personal. */
function isPrivate(record: ExternalRecord): boolean {
  return record.kind === 'mail' || record.kind === 'calendar_event';
}

/** The request that the connector would send for the example of the first event. */
async function whatIsSent(
  connector: Connector,
  secret: Secret,
  { settings, fieldMappings }: { settings: ConfigSettings; fieldMappings: FieldMapping[] },
): Promise<Records> {
  const event = exampleEnvelope(firstEvent(settings.events ?? []));
  let sent: CallRequest | undefined;
  const call = async (request: CallRequest) => {
    sent = request;
    return { status: 200, body: { ok: true } };
  };
  await connector.act?.(call, secret, { event, settings, fieldMappings });
  const result = (sent?.body ?? {}) as Record<string, unknown>;
  return [{ kind: 'event', externalId: null, source: { ...event }, result, errors: [] }];
}
