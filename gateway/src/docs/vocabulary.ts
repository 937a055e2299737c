import * as agents from '@tandem/agents-contract';
import * as analytics from '@tandem/analytics-contract';
import * as campaign from '@tandem/campaign-contract';
import type { EventDef } from '@tandem/contract';
import * as vocabulary from '@tandem/contract';
import * as crm from '@tandem/crm-contract';
import * as files from '@tandem/files-contract';
import * as identity from '@tandem/identity-contract';
import * as integrations from '@tandem/integrations-contract';
import * as partner from '@tandem/partner-contract';
import * as search from '@tandem/search-contract';
import * as training from '@tandem/training-contract';
import { z } from 'zod';
import type { fleet } from '../contracts.ts';

// All contracts with their events and schemas. A missing service of the fleet is a type error.
const contracts = {
  crm,
  partner,
  campaign,
  identity,
  integrations,
  search,
  agents,
  training,
  files,
  analytics,
} satisfies Record<keyof typeof fleet, object>;

/** All events of the contracts, each once: a contract may re-export an event that every service knows. */
export const events: readonly EventDef[] = [
  ...new Set(exported().flatMap(({ value }) => (isEvent(value) ? [value] : []))),
];

/** The events that a webhook can receive, in the order of the contracts. */
export const catalogue: readonly EventDef[] = events.filter(({ group }) => group !== undefined);

/** The exported object and enum schemas of the contracts. The export name is the schema name in the document. */
export const exportedSchemas = findSchemas();

/** The same names as a zod registry. */
export const schemaNames = nameSchemas();

function findSchemas(): ReadonlyMap<string, z.ZodType> {
  const found = new Map<string, z.ZodType>();
  for (const { name, value } of exported()) {
    const isSchema = value instanceof z.ZodObject || value instanceof z.ZodEnum;
    if (!isSchema || !/^[A-Z]/.test(name)) continue;
    const other = found.get(name);
    if (other && other !== value) throw new Error(`Two contracts export a schema named ${name}: rename one of them`);
    found.set(name, value);
  }
  return found;
}

function nameSchemas(): z.core.$ZodRegistry<{ id: string }> {
  const names = z.registry<{ id: string }>();
  for (const [name, schema] of exportedSchemas) if (!names.has(schema)) names.add(schema, { id: name });
  return names;
}

function exported(): { name: string; value: unknown }[] {
  return [vocabulary, ...Object.values(contracts)].flatMap((contract) =>
    Object.entries(contract).map(([name, value]) => ({ name, value })),
  );
}

function isEvent(value: unknown): value is EventDef {
  const event = value as Partial<EventDef> | null;
  return typeof event === 'object' && typeof event?.action === 'string' && event.data instanceof z.ZodType;
}
