// Starts gateway and services as processes with databases of their own, for tests and measurements of the whole fleet.
export { type Balancer, startBalancer } from './balancer.ts';
export { operations, startFleet, type TestFleet } from './fleet.ts';
export { type Receiver, startReceiver } from './receiver.ts';
export { aTenant, setLimits, type TestTenant, tokensOf } from './tenant.ts';
