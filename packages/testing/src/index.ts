// Runs a service in a test as in production: over HTTP, on its own database, with RabbitMQ and Redis.

export { until } from '@tandem/until';
export { aPerson } from './a-person.ts';
export { type AiProvider, type ProviderRequest, type ScriptedReply, startAiProvider } from './ai-provider.ts';
export {
  type CallProvider,
  type CallScript,
  type Deliver,
  type ProviderCall,
  startCallProvider,
} from './call-provider.ts';
export { everyList, filtersOf, sortsOf } from './every-list.ts';
export { everyOperation } from './every-operation.ts';
export { type Explain, openExplain } from './explain.ts';
export { type Hubspot, startHubspot } from './hubspot.ts';
export {
  identityPeer,
  members,
  publish,
  publishTeamEvent,
  publishUserLeft,
  roles,
  teams,
  users,
} from './identity-peer.ts';
export { type ImapServer, startImapServer } from './imap-server.ts';
export { publishLeadDeletion, publishLeadMerge } from './lead-merges.ts';
export { longestTurn } from './longest-turn.ts';
export { publishPartner } from './partner-events.ts';
export { removeQueues } from './remove-queues.ts';
export { openTables, type Tables } from './table-states.ts';
export { startTcpProxy, type TcpProxy } from './tcp-proxy.ts';
export {
  type TestApi,
  type TestReply,
  type TestRequest,
  type TestService,
  testService,
  testSettings,
} from './test-service.ts';
