import { readBrokerState } from './broker-state.ts';
import { type Repair, repairTopology } from './repair-topology.ts';
import { type DeclaredConsumer, defaultTimings, names } from './topology.ts';
import { type Difference, topologyDifferences } from './topology-differences.ts';

interface TopologyReport {
  differences: Difference[];
  /** What was done about each difference; empty without `repair`. */
  repairs: Repair[];
}

/**
 * Compares the broker with what the services declare, and repairs the differences on request.
 * @param options.managementUrl `http://user:password@host:15672/<virtual host>`
 * @param options.unknownServices services that did not tell what they declare; their queues are neither compared nor removed
 * @throws when the management API or, for a repair, the broker does not answer
 */
export async function checkTopology(options: {
  url: string;
  managementUrl: string;
  namespace: string;
  consumers: readonly DeclaredConsumer[];
  unknownServices: readonly string[];
  repair: boolean;
  retryDelaysMs?: readonly number[];
}): Promise<TopologyReport> {
  const { url, managementUrl, namespace, consumers, unknownServices } = options;
  const { retryDelaysMs = defaultTimings.retryDelaysMs } = options;
  const fleetNames = names(namespace);
  const fleet = { names: fleetNames, consumers, retryDelaysMs, unknownServices };
  const differences = topologyDifferences(fleet, await readBrokerState(managementUrl, namespace), namespace);
  const delayQueues = retryDelaysMs.map(fleetNames.delay);
  const repairs = options.repair ? await repairTopology(url, fleetNames, differences, delayQueues) : [];
  return { differences, repairs };
}
