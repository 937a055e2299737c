// Carries what happened from the transaction of a change to its consumers, once in effect: outbox, relay, RabbitMQ, inbox.
export { type Broker, connectBroker } from './broker.ts';
export { type Consumption, startConsumers } from './consume.ts';
export { type Consumer, type ConsumerContext, consumer, type Received, type Schedule } from './consumer.ts';
export { type DeadLetter, listDeadLetters, replayDeadLetters } from './dead-letters.ts';
export { PermanentError } from './errors.ts';
export { type Emission, type Emit, type EventMessage, emitter } from './outbox.ts';
export type { BeginOutgoing, Outgoing } from './outgoing.ts';
export { type Relay, startRelay } from './relay.ts';
