import sax from 'sax';
import { PackageError } from './package-error.ts';

/** The facts that a manifest states about its package. */
export interface Manifest {
  version: '1.2' | '2004';
  title: string;
  /** The page that starts the package, with query and fragment. */
  launch: string;
  masteryScore: number | null;
  launchData: string;
}

interface Element {
  name: string;
  attributes: Record<string, string>;
  children: Element[];
  text: string;
}

// Valid manifests have far less of each.
const depthMax = 50;
const elementsMax = 50_000;
const attributesMax = 64;
const textMax = 10_000;
const titleMax = 200;
const launchMax = 1_000;
const launchDataMax = 4_096;

/**
 * Reads `imsmanifest.xml`.
 * @throws PackageError if it is not the manifest of a SCORM package with one SCO
 */
export function readManifest(xml: string): Manifest {
  const root = parse(xml);
  if (root.name !== 'manifest') throw new PackageError('imsmanifest.xml is not the manifest of a package');
  const organization = organizationOf(root);
  const resources = new Map(
    all(child(root, 'resources'), 'resource').map((resource) => [resource.attributes['identifier'] ?? '', resource]),
  );
  const items = descendants(organization, 'item').flatMap((item) => {
    const resource = resources.get(item.attributes['identifierref'] ?? '');
    return resource && isSco(resource) ? [{ item, resource }] : [];
  });
  const [first, second] = items;
  if (!first) throw new PackageError('The manifest has no SCO that can be launched');
  if (second) throw new PackageError(`The manifest has ${items.length} SCOs; make a package, and a lesson, for each`);
  const { item, resource } = first;
  const base = [root, child(root, 'resources'), resource].map((one) => one?.attributes['base'] ?? '').join('');
  return {
    version: versionOf(root, xml),
    title: (textOf(child(item, 'title')) || textOf(child(organization, 'title'))).slice(0, titleMax),
    launch: launchOf(base, resource.attributes['href'] ?? '', item.attributes['parameters'] ?? ''),
    masteryScore: masteryScoreOf(item),
    launchData: (textOf(child(item, 'datafromlms')) || textOf(child(item, 'dataFromLMS'))).slice(0, launchDataMax),
  };
}

/**
 * Parses XML to elements without namespaces. The parser loads nothing, and entities of a document type would be left out; one is
 * refused, so that nothing is read that its author does not see.
 */
function parse(xml: string): Element {
  const parser = sax.parser(true, { position: false });
  const top: Element = { name: '', attributes: {}, children: [], text: '' };
  const open = [top];
  let elements = 0;
  let attributes = 0;
  const refuse = (message: string) => {
    throw new PackageError(`imsmanifest.xml ${message}`);
  };
  parser.ondoctype = () => refuse('must not have a document type (DOCTYPE)');
  parser.onopentagstart = () => {
    attributes = 0;
    elements += 1;
    if (elements > elementsMax) refuse('has too many elements');
    if (open.length > depthMax) refuse('is nested too deeply');
  };
  parser.onattribute = () => {
    attributes += 1;
    if (attributes > attributesMax) refuse('has an element with too many attributes');
  };
  parser.onopentag = (tag) => {
    const element: Element = { name: local(tag.name), attributes: {}, children: [], text: '' };
    for (const [name, value] of Object.entries(tag.attributes)) element.attributes[local(name)] = String(value);
    open.at(-1)?.children.push(element);
    open.push(element);
  };
  const add = (text: string) => {
    const element = open.at(-1);
    if (element && element.text.length < textMax) element.text += text.slice(0, textMax);
  };
  parser.ontext = add;
  parser.oncdata = add;
  parser.onclosetag = () => void open.pop();
  parser.onerror = () => refuse('is not well-formed XML');
  parser.write(xml).close();
  const [root] = top.children;
  return root ?? refuse('is empty');
}

function local(name: string): string {
  return name.slice(name.indexOf(':') + 1);
}

function child(element: Element | undefined, name: string): Element | undefined {
  return element?.children.find((one) => one.name === name);
}

function all(element: Element | undefined, name: string): Element[] {
  return element?.children.filter((one) => one.name === name) ?? [];
}

function descendants(element: Element, name: string): Element[] {
  return element.children.flatMap((one) => [...(one.name === name ? [one] : []), ...descendants(one, name)]);
}

function textOf(element: Element | undefined): string {
  return element?.text.replaceAll('\0', '').replaceAll(/\s+/g, ' ').trim() ?? '';
}

/** The default organization, or the first one. */
function organizationOf(root: Element): Element {
  const organizations = child(root, 'organizations');
  const known = all(organizations, 'organization');
  const name = organizations?.attributes['default'];
  const organization = known.find(({ attributes }) => attributes['identifier'] === name) ?? known[0];
  if (!organization) throw new PackageError('The manifest has no organization');
  return organization;
}

/** `adlcp:scormtype` in version 1.2, `adlcp:scormType` in 2004. */
function isSco({ attributes }: Element): boolean {
  return (attributes['scormtype'] ?? attributes['scormType'] ?? '').toLowerCase() === 'sco';
}

/** The version in the metadata; packages without it are recognized by the namespace of their attributes. */
function versionOf(root: Element, xml: string): Manifest['version'] {
  const metadata = child(root, 'metadata');
  const schema = textOf(child(metadata, 'schema'));
  const version = textOf(child(metadata, 'schemaversion'));
  if (/^(2004|CAM 1\.3|1\.3)/i.test(version)) return '2004';
  if (version.startsWith('1.2') || version === '1.1') return '1.2';
  if (version)
    throw new PackageError(`The package uses ${schema || 'SCORM'} ${version.slice(0, 40)}, not SCORM 1.2 or 2004`);
  if (/adlcp_v1p3/i.test(xml)) return '2004';
  if (/adlcp_rootv1p2/i.test(xml)) return '1.2';
  throw new PackageError('The manifest names no version of SCORM');
}

/** The score of version 1.2, or the normalized measure of the primary objective of 2004. */
function masteryScoreOf(item: Element): number | null {
  const mastery = Number(textOf(child(item, 'masteryscore')) || Number.NaN);
  if (mastery >= 0 && mastery <= 100) return mastery;
  const objective = descendants(item, 'primaryObjective').find(
    ({ attributes }) => attributes['satisfiedByMeasure'] === 'true',
  );
  if (!objective) return null;
  const measure = Number(textOf(child(objective, 'minNormalizedMeasure')) || 1);
  return measure >= 0 && measure <= 1 ? Math.round(measure * 10_000) / 100 : null;
}

/** @throws PackageError for an address that is not inside the package */
function launchOf(base: string, href: string, parameters: string): string {
  const unsafe = () => new PackageError('The launch address must be the path of a file inside the package');
  if (!href) throw new PackageError('The SCO has no launch address (href)');
  const [path = '', ...rest] = `${base}${href}`.split(/(?=[?#])/);
  const suffix = rest.join('');
  // A scheme, a host, a backslash or a control character would leave the folder of the package.
  // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is refused.
  if (/^[a-z][a-z0-9+.-]*:/i.test(path) || path.startsWith('/') || /[\\\u0000-\u001f]/.test(path + suffix + parameters))
    throw unsafe();
  const segments: string[] = [];
  for (const segment of path.split('/')) {
    if (segment === '..' && !segments.pop()) throw unsafe();
    if (segment !== '..' && segment !== '.' && segment !== '') segments.push(segment);
  }
  const launch = withParameters(segments.join('/') + suffix, parameters);
  if (launch.length > launchMax) throw new PackageError(`The launch address is longer than ${launchMax} characters`);
  return launch;
}

/** Appends the parameters of an item, as the content aggregation model describes. */
function withParameters(href: string, parameters: string): string {
  const sent = parameters.replace(/^[?&]+/, '');
  if (!sent) return href;
  if (sent.startsWith('#')) return href.includes('#') ? href : href + sent;
  const [path = '', fragment] = href.split('#', 2);
  const joined = `${path}${path.includes('?') ? '&' : '?'}${sent}`;
  return fragment === undefined ? joined : `${joined}#${fragment}`;
}

/** The path of the file that a launch address names, decoded. */
export function launchPath(launch: string): string {
  const [path = ''] = launch.split(/[?#]/);
  try {
    return decodeURIComponent(path);
  } catch {
    throw new PackageError('The launch address is not a valid URL');
  }
}
