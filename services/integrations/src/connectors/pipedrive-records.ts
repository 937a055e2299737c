// Converts objects of Pipedrive: https://developers.pipedrive.com/docs/api/v1/Deals#getDeals
import { unknownNames } from '@tandem/crm-contract';
import type { FieldMapping } from './calling.ts';
import type { DealSettings } from './crm-settings.ts';
import type { ExternalRecord } from './sync.ts';
import {
  domainOf,
  entryOf,
  idOf,
  listOf,
  numberOf,
  objectOf,
  plainOf,
  present,
  textOf,
  timeOf,
  type Values,
  versionOf,
  websiteOf,
} from './values.ts';

/** In the order in which they are read, so that references point to records that were read before. */
export const pipedriveObjects = ['organizations', 'persons', 'deals'] as const;
export type PipedriveObject = (typeof pipedriveObjects)[number];

export const pipedriveKinds = { organizations: 'account', persons: 'lead', deals: 'opportunity' } as const;

const mappedKey = /^custom_fields\.([A-Za-z0-9_]{1,64})(\.|$)/;

/** The custom fields that mappings read. */
export function customFieldKeys(object: PipedriveObject, mappings: readonly FieldMapping[]): string[] {
  const kind = pipedriveKinds[object];
  const keys = mappings.flatMap(({ from, to }) => {
    const key = mappedKey.exec(from)?.[1];
    return key !== undefined && to.startsWith(`${kind}.`) ? [key] : [];
  });
  return [...new Set(keys)];
}

/** Converts an object; undefined if it has no id. */
export function pipedriveRecord(
  object: PipedriveObject,
  found: unknown,
  settings: DealSettings,
): ExternalRecord | undefined {
  const values = objectOf(found);
  const id = idOf(values['id']);
  if (id === null) return undefined;
  const source = plainOf(values);
  const shared = {
    id,
    version: versionOf(source['update_time'], source),
    ...((source['is_deleted'] === true || source['status'] === 'deleted') && { isDeleted: true }),
    source,
  };
  if (object === 'organizations') return { ...shared, kind: 'account', fields: accountFields(id, source) };
  const accountRef = idOf(source['org_id']);
  if (object === 'persons') return { ...shared, kind: 'lead', fields: leadFields(id, source), accountRef };
  const outcome = outcomeOf(source);
  const fields = dealFields(source, outcome, settings);
  return { ...shared, kind: 'opportunity', fields, outcome, accountRef, leadRef: idOf(source['person_id']) };
}

// https://developers.pipedrive.com/docs/api/v1/Organizations#getOrganizations
function accountFields(id: string, of: Values) {
  const website = websiteOf(of['website']);
  const address = addressOf(objectOf(of['address']));
  return {
    name: textOf(of['name'], 200),
    ...present({ website, domain: domainOf(website), size: numberOf(of['employee_count']) }),
    ...(Object.keys(address).length > 0 && { address }),
    externalId: `pipedrive:${id}`,
  };
}

function addressOf(of: Values) {
  const line = [textOf(of['route'], 250), textOf(of['street_number'], 100)].filter(Boolean).join(' ');
  const parts = present({
    street: line,
    city: textOf(of['locality'], 200),
    postalCode: textOf(of['postal_code'], 32),
    region: textOf(of['admin_area_level_1'], 200),
    country: textOf(of['country'], 100),
  });
  // Pipedrive parses the address in the background: until then there is only the text.
  return Object.keys(parts).length ? parts : present({ street: textOf(of['value'], 500) });
}

// https://developers.pipedrive.com/docs/api/v1/Persons#getPersons
function leadFields(id: string, of: Values) {
  const email = primaryOf(of['emails'], 254);
  const unknown = unknownNames({ email });
  const [firstName, lastName] = namesOf(of);
  return {
    email,
    firstName: firstName || unknown.firstName,
    lastName: lastName || unknown.lastName,
    ...present({ phone: primaryOf(of['phones'], 64) }),
    source: 'import',
    externalId: `pipedrive:${id}`,
  };
}

/** The primary value of a list of addresses or numbers, else the first one; '' if there is none. */
function primaryOf(list: unknown, max: number): string {
  const entries = listOf(list, 100).map(objectOf);
  const filled = entries.filter(({ value }) => textOf(value, max));
  return textOf((filled.find(({ primary }) => primary === true) ?? filled[0])?.['value'], max);
}

function namesOf(of: Values): [firstName: string, lastName: string] {
  const [firstName, lastName] = [textOf(of['first_name'], 100), textOf(of['last_name'], 100)];
  return firstName || lastName ? [firstName, lastName] : [textOf(of['name'], 100), ''];
}

function dealFields(of: Values, outcome: 'open' | 'won' | 'lost', settings: DealSettings) {
  const { stages, pipelines, lostReasonCode } = settings;
  const closedAt = timeOf(of[`${outcome}_time`]) ?? timeOf(of['close_time']);
  return {
    name: textOf(of['title'], 200),
    ...present({
      value: numberOf(of['value']),
      currency: textOf(of['currency'], 3).toUpperCase(),
      expectedCloseAt: timeOf(of['expected_close_date']),
      stage: entryOf(stages, of['stage_id']),
      pipeline: entryOf(pipelines, of['pipeline_id']),
      ...(outcome !== 'open' && { closedAt }),
      ...(outcome === 'lost' && { lostReasonCode, lostNote: textOf(of['lost_reason'], 2_000) }),
    }),
  };
}

function outcomeOf({ status }: Values): 'open' | 'won' | 'lost' {
  return status === 'won' || status === 'lost' ? status : 'open';
}
