// Converts objects of HubSpot. Their properties are texts: https://developers.hubspot.com/docs/api-reference/crm-properties-v3/guide
import { unknownNames } from '@tandem/crm-contract';
import type { FieldMapping } from './calling.ts';
import type { DealSettings } from './crm-settings.ts';
import type { ExternalRecord } from './sync.ts';
import {
  entryOf,
  idOf,
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
export const hubspotObjects = ['companies', 'contacts', 'deals'] as const;
export type HubspotObject = (typeof hubspotObjects)[number];

export const hubspotKinds = { companies: 'account', contacts: 'lead', deals: 'opportunity' } as const;

/** The objects that records of an object refer to. */
export const referredObjects: Record<HubspotObject, readonly HubspotObject[]> = {
  companies: [],
  contacts: ['companies'],
  deals: ['companies', 'contacts'],
};

/** The property with the time of the last change. */
export const changedProperty: Record<HubspotObject, string> = {
  companies: 'hs_lastmodifieddate',
  contacts: 'lastmodifieddate',
  deals: 'hs_lastmodifieddate',
};

const properties: Record<HubspotObject, readonly string[]> = {
  companies: [
    ...['name', 'domain', 'website', 'phone', 'industry', 'numberofemployees'],
    ...['address', 'address2', 'city', 'zip', 'state', 'country'],
  ],
  contacts: ['email', 'firstname', 'lastname', 'phone', 'mobilephone'],
  deals: [
    ...['dealname', 'amount', 'deal_currency_code', 'closedate', 'dealstage', 'pipeline', 'closed_lost_reason'],
    ...['hs_is_closed', 'hs_is_closed_won', 'hs_deal_stage_probability'],
  ],
};

const mappedProperty = /^properties\.([a-z0-9_]{1,100})$/i;

/** The properties to request: those of the default fields, and those that mappings read. */
export function requestedProperties(object: HubspotObject, mappings: readonly FieldMapping[]): string[] {
  const kind = hubspotKinds[object];
  const mapped = mappings.flatMap(({ from, to }) => {
    const name = mappedProperty.exec(from)?.[1];
    return name !== undefined && to.startsWith(`${kind}.`) ? [name] : [];
  });
  return [...new Set([...properties[object], changedProperty[object], ...mapped])];
}

/** The ids of the records that a record refers to, by object. */
export type References = Partial<Record<HubspotObject, string>>;

/** Converts an object; undefined if it has no id. */
export function hubspotRecord(
  object: HubspotObject,
  found: unknown,
  { references, settings }: { references: References; settings: DealSettings },
): ExternalRecord | undefined {
  const values = objectOf(found);
  const id = idOf(values['id']);
  if (id === null) return undefined;
  const source = plainOf(values);
  const of = objectOf(source['properties']);
  const shared = {
    id,
    version: versionOf(source['updatedAt'] ?? of[changedProperty[object]], source),
    ...(source['archived'] === true && { isDeleted: true }),
    source,
  };
  const accountRef = references.companies ?? null;
  if (object === 'companies') return { ...shared, kind: 'account', fields: accountFields(id, of) };
  if (object === 'contacts') return { ...shared, kind: 'lead', fields: leadFields(id, of), accountRef };
  const outcome = outcomeOf(of);
  const fields = dealFields(of, outcome, settings);
  return { ...shared, kind: 'opportunity', fields, outcome, accountRef, leadRef: references.contacts ?? null };
}

// https://developers.hubspot.com/docs/api-reference/crm-companies-v3/guide
function accountFields(id: string, of: Values) {
  const domain = textOf(of['domain'], 255);
  const street = [textOf(of['address'], 250), textOf(of['address2'], 240)].filter(Boolean).join(', ');
  const address = present({
    street,
    city: textOf(of['city'], 200),
    postalCode: textOf(of['zip'], 32),
    region: textOf(of['state'], 200),
    country: textOf(of['country'], 100),
  });
  return {
    // HubSpot requires a name or a domain.
    name: textOf(of['name'], 200) || domain,
    ...present({
      domain,
      website: websiteOf(of['website']),
      phone: textOf(of['phone'], 64),
      // Values of this property have the form COMPUTER_SOFTWARE.
      industry: textOf(of['industry'], 100).replaceAll('_', ' ').toLowerCase(),
      size: numberOf(of['numberofemployees']),
    }),
    ...(Object.keys(address).length > 0 && { address }),
    externalId: `hubspot:${id}`,
  };
}

// https://developers.hubspot.com/docs/api-reference/crm-contacts-v3/guide
function leadFields(id: string, of: Values) {
  const email = textOf(of['email'], 254);
  const unknown = unknownNames({ email });
  return {
    email,
    firstName: textOf(of['firstname'], 100) || unknown.firstName,
    lastName: textOf(of['lastname'], 100) || unknown.lastName,
    ...present({ phone: textOf(of['phone'], 64) || textOf(of['mobilephone'], 64) }),
    source: 'import',
    externalId: `hubspot:${id}`,
  };
}

// https://developers.hubspot.com/docs/api-reference/crm-deals-v3/guide
function dealFields(of: Values, outcome: 'open' | 'won' | 'lost', settings: DealSettings) {
  const closesAt = timeOf(of['closedate']);
  const { stages, pipelines, lostReasonCode } = settings;
  return {
    name: textOf(of['dealname'], 200),
    ...present({
      value: numberOf(of['amount']),
      currency: textOf(of['deal_currency_code'], 3).toUpperCase(),
      expectedCloseAt: closesAt,
      stage: entryOf(stages, of['dealstage']),
      pipeline: entryOf(pipelines, of['pipeline']),
      ...(outcome !== 'open' && { closedAt: closesAt }),
      ...(outcome === 'lost' && { lostReasonCode, lostNote: textOf(of['closed_lost_reason'], 2_000) }),
    }),
  };
}

/** HubSpot calculates whether a deal is closed; the probability of its stage is 1 or 0 then. */
function outcomeOf(of: Values): 'open' | 'won' | 'lost' {
  const isTrue = (name: string) => textOf(of[name], 10).toLowerCase() === 'true' || of[name] === true;
  const probability = numberOf(of['hs_deal_stage_probability']);
  if (isTrue('hs_is_closed_won')) return 'won';
  if (isTrue('hs_is_closed')) return 'lost';
  const isUnknown = !textOf(of['hs_is_closed'], 10) && of['hs_is_closed'] !== false;
  if (isUnknown && probability === 1) return 'won';
  return isUnknown && probability === 0 ? 'lost' : 'open';
}
