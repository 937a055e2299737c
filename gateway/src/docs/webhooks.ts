import { deliveredData, type EventDef } from '@tandem/contract';
import { schemaVersionOf } from '@tandem/integrations-contract';
import { exampleMeta } from './envelope.ts';
import { exampleId } from './example-ids.ts';
import type { Part } from './json.ts';
import { pascal } from './pascal.ts';
import type { Schemas } from './schemas.ts';

const exampleEventId = exampleId('event');
const exampleSequence = 4711;
const sentAt = '1772442900';
const mac = 'K5oZfzN95Z9UVu1EsfQmfVNQhnkZ2pj9o9NDN/H/pI4=';

/** The headers of a delivery, as `components.parameters`. */
export const deliveryParameters: Record<string, Part> = {
  WebhookIdHeader: header(
    'webhook-id',
    'The id of the event, the same on every attempt. Process each event only once.',
    exampleEventId,
  ),
  WebhookTimestampHeader: header(
    'webhook-timestamp',
    'When this attempt was signed, in Unix seconds. Reject deliveries that are older than five minutes.',
    sentAt,
  ),
  WebhookSignatureHeader: header(
    'webhook-signature',
    'The signature in the Standard Webhooks format: `v1,` followed by the base64-encoded HMAC-SHA256 of `{webhook-id}.{webhook-timestamp}.{body}`. While a secret is being rotated there are two signatures, separated by a space.',
    `v1,${mac}`,
  ),
  ServiceSignatureHeader: header(
    'X-Service-Signature',
    'The same signature together with its id and timestamp, in one header.',
    `t=${sentAt},id=${exampleEventId},v1=${mac}`,
  ),
  ServiceEventHeader: header('X-Service-Event', 'The name of the event.', 'lead.created'),
  ServiceDeliveryHeader: header(
    'X-Service-Delivery',
    'The id of the delivery, as in the delivery log.',
    exampleId('delivery'),
  ),
  ServiceAttemptHeader: header('X-Service-Attempt', 'The number of the attempt, from 1.', '1'),
  ServiceEnvironmentHeader: header('X-Service-Environment', '`live` or `sandbox`.', 'live'),
};

/** Every catalogue event as a request that the platform sends. */
export function webhookParts(events: readonly EventDef[], schemas: Schemas): Record<string, Record<string, Part>> {
  return Object.fromEntries(events.map((event) => [event.name, { post: delivery(event, schemas) }]));
}

function delivery(event: EventDef, schemas: Schemas): Part {
  return {
    operationId: `on${pascal(event.name)}`,
    summary: event.name,
    description: `${event.description}. Sent to every webhook that is subscribed to \`${event.name}\`, \`${event.name.split('.')[0]}.*\` or \`*\`. Events may arrive out of order: those of a record are in the order of \`data.sequence\`.`,
    security: [],
    'x-group': event.group,
    'x-schema-version': schemaVersionOf(event.name),
    parameters: Object.keys(deliveryParameters).map((name) => ({ $ref: `#/components/parameters/${name}` })),
    requestBody: {
      required: true,
      content: { 'application/json': { schema: envelope(event, schemas), example: envelopeExample(event) } },
    },
    responses: {
      '2XX': { $ref: '#/components/responses/DeliveryReceived' },
      410: { $ref: '#/components/responses/DeliveryGone' },
      default: { $ref: '#/components/responses/DeliveryNotReceived' },
    },
  };
}

/** The possible responses of a receiver, as `components.responses`. */
export const deliveryResponses: Record<string, Part> = {
  DeliveryReceived: { description: 'The event was received. Respond within 15 seconds; process the event afterwards.' },
  DeliveryGone: { description: 'The endpoint no longer exists: the platform disables the webhook.' },
  DeliveryNotReceived: {
    description: 'The event was not received: the platform retries, with up to ten attempts within about three days.',
  },
};

/** The body of a delivery, as the named schema `LeadCreatedEvent`. */
function envelope(event: EventDef, schemas: Schemas): Part {
  const { name } = event;
  return schemas.define(`${pascal(name)}Event`, {
    type: 'object',
    properties: {
      id: { type: 'string', description: 'The id of the event', pattern: '^[0-9A-Za-z]{16,20}$' },
      type: { type: 'string', const: name, description: 'The name of the event' },
      createdAt: { type: 'string', format: 'date-time' },
      data: schemas.reply(deliveredData(event)),
    },
    required: ['id', 'type', 'createdAt', 'data'],
  });
}

function envelopeExample({ name, example }: EventDef): Part {
  return {
    id: exampleEventId,
    type: name,
    createdAt: exampleMeta.timestamp,
    data: { ...(example as object), sequence: exampleSequence },
  };
}

function header(name: string, description: string, example: string): Part {
  return { name, in: 'header', required: true, description, schema: { type: 'string' }, example };
}
