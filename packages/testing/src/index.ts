// Runs a service in a test as it runs in the fleet: over HTTP, on a database of its own, with RabbitMQ and Redis.

export { until } from '@tandem/until';
export { everyList } from './every-list.ts';
export { everyOperation } from './every-operation.ts';
export { longestTurn } from './longest-turn.ts';
export { startTcpProxy, type TcpProxy } from './tcp-proxy.ts';
export { type TestApi, type TestReply, type TestService, testService, testSettings } from './test-service.ts';
