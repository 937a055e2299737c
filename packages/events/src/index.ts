// Delivers events from the transaction that emits them to consumers, with effects applied once: outbox, relay,
// RabbitMQ, inbox.
export { type Broker, connectBroker } from './broker.ts';
export { defaultManagementUrl } from './broker-state.ts';
export { checkTopology } from './check-topology.ts';
export { type Consumption, declaredConsumers, startConsumers } from './consume.ts';
export { type Consumer, type ConsumerContext, consumer, type Received, type Schedule } from './consumer.ts';
export { type DeadLetter, listDeadLetters, moveMessages, replayDeadLetters } from './dead-letters.ts';
export { PermanentError } from './errors.ts';
export { dataSchemaDigest, eventJsonSchema } from './event-schema.ts';
export { type Emission, type Emit, type EventMessage, emitter } from './outbox.ts';
export type { BeginOutgoing, Outgoing } from './outgoing.ts';
export { type Relay, startRelay } from './relay.ts';
export type { Repair } from './repair-topology.ts';
export { type DeclaredConsumer, defaultTimings, type EventTimings } from './topology.ts';
export type { Difference } from './topology-differences.ts';
