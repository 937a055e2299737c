import type { webhooks } from '@tandem/integrations-contract';
import { catalogued, exampleEnvelope, standardGroups } from '../../catalogue.ts';
import type { Handler } from '../../handler.ts';

const groups = [...new Set<string>([...standardGroups, ...catalogued.flatMap(({ group }) => group ?? [])])];

export const getWebhookCatalog: Handler<typeof webhooks.getWebhookCatalog> = ({ query }) => {
  const shown = query.include === 'all' ? groups : standardGroups;
  return Object.fromEntries(
    shown.map((group) => [
      group,
      catalogued
        .filter((event) => event.group === group)
        .map(({ name, description }) => ({ event: name, description, examplePayload: exampleEnvelope(name) })),
    ]),
  );
};
