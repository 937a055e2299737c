// End-to-end tests call the running fleet through its gateway, as clients do.
export { operations, startFleet, type TestFleet } from './fleet.ts';
export { type Receiver, startReceiver } from './receiver.ts';
export { aTenant, type TestTenant } from './tenant.ts';
