import type { Part } from './json.ts';
import type { OpenApiDocument } from './openapi.ts';

/** The request that the code samples send. */
interface SampleRequest {
  method: string;
  /** The path with example values for its parameters, and the required part of the query. */
  path: string;
  /** Header values: `$NAME` is an environment variable, `$KEY` a new Idempotency-Key. */
  headers: [name: string, value: string][];
  body: unknown;
  /** The name of the uploaded file. */
  file: string | undefined;
  isJsonResponse: boolean;
}

type Operation = Part & {
  parameters?: Part[];
  security: Record<string, unknown>[];
  requestBody?: { content: Record<string, { example: unknown }> };
  responses: Record<string, { content?: Record<string, unknown> }>;
};

/**
 * Adds code samples to each operation of the document: complete programs that read the base URL and the credentials
 * from environment variables (`BASE_URL`, `API_KEY`, or `ACCESS_TOKEN` with `TENANT_ID`). The reference page shows
 * them.
 */
export function withCodeSamples(document: OpenApiDocument): OpenApiDocument {
  const paths = Object.entries(document.paths).map(([path, item]) => {
    const described = Object.entries(item).map(([method, operation]) => {
      const request = sampleRequest(method.toUpperCase(), path, operation as Operation, document);
      return [method, { ...operation, 'x-codeSamples': codeSamples(request) }];
    });
    return [path, Object.fromEntries(described)];
  });
  return { ...document, paths: Object.fromEntries(paths) };
}

function codeSamples(request: SampleRequest): Part[] {
  return [
    { lang: 'Shell', label: 'curl', source: curl(request) },
    { lang: 'JavaScript', label: 'JavaScript', source: javascript(request) },
    { lang: 'Python', label: 'Python', source: python(request) },
  ];
}

function sampleRequest(method: string, path: string, operation: Operation, document: OpenApiDocument): SampleRequest {
  const parameters = (operation.parameters ?? []).map((one) => resolved(one, document));
  const takesKey = parameters.some(({ name }) => name === 'Idempotency-Key');
  const { 'application/json': json, 'multipart/form-data': form } = operation.requestBody?.content ?? {};
  const success = Object.entries(operation.responses).find(([status]) => status.startsWith('2'))?.[1];
  return {
    method,
    path: filledPath(path, parameters),
    headers: [...credentials(operation), ...(takesKey ? [['Idempotency-Key', '$KEY'] as [string, string]] : [])],
    body: json?.example,
    file: form ? 'offer.pdf' : undefined,
    isJsonResponse: success?.content?.['application/json'] !== undefined,
  };
}

function resolved(part: Part, { components }: OpenApiDocument): Part {
  if (typeof part.$ref !== 'string') return part;
  const [, , kind = '', name = ''] = part.$ref.split('/');
  return components[kind]?.[name] as Part;
}

/** The headers of the first kind of credentials that the operation accepts. */
function credentials({ security: [scheme = {}] }: Operation): [name: string, value: string][] {
  if ('ApiKey' in scheme) return [['X-API-Key', '$API_KEY']];
  if ('PortalToken' in scheme) return [['Authorization', 'Bearer $ACCESS_TOKEN']];
  if (!('AccessToken' in scheme)) return [];
  return [
    ['Authorization', 'Bearer $ACCESS_TOKEN'],
    ['X-Tenant-Id', '$TENANT_ID'],
  ];
}

function filledPath(template: string, parameters: Part[]): string {
  const path = parameters
    .filter((one) => one.in === 'path')
    .reduce((text, { name, example }) => text.replace(`{${name}}`, encodeURIComponent(String(example))), template);
  const query = parameters.filter((one) => one.in === 'query' && one.required);
  const search = query.map(({ name, example }) => `${name}=${encodeURIComponent(String(example))}`);
  return search.length ? `${path}?${search.join('&')}` : path;
}

function curl({ method, path, headers, body, file }: SampleRequest): string {
  const isPlain = method === 'GET' || (method === 'POST' && (body !== undefined || file !== undefined));
  const lines = [
    `curl${isPlain ? '' : ` -X ${method}`} "$BASE_URL${path}"`,
    ...headers.map(([name, value]) => `-H "${name}: ${value.replace('$KEY', '$(uuidgen)')}"`),
    ...(file ? [`-F "file=@${file}"`] : []),
    ...(body === undefined
      ? []
      : ['-H "Content-Type: application/json"', `-d '${JSON.stringify(body, null, 2).replaceAll("'", "'\\''")}'`]),
  ];
  return lines.join(' \\\n  ');
}

function javascript({ method, path, headers, body, file, isJsonResponse }: SampleRequest): string {
  const names = environmentNames(headers);
  const sent = [
    ...headers.map(([name, value]) => `'${name}': ${jsValue(value)}`),
    ...(body === undefined ? [] : [`'Content-Type': 'application/json'`]),
  ];
  const options = [
    ...(method === 'GET' ? [] : [`method: '${method}',`]),
    ...(sent.length ? [`headers: {\n${indented(`${sent.join(',\n')},`, 2)}\n},`] : []),
    ...(body === undefined ? [] : [`body: JSON.stringify(${JSON.stringify(body, null, 2)}),`]),
    ...(file ? ['body: form,'] : []),
  ];
  const address = `\`\${BASE_URL}${path}\``;
  return [
    ...(file ? [`import { openAsBlob } from 'node:fs';\n`] : []),
    `const { ${['BASE_URL', ...names].join(', ')} } = process.env;`,
    ...(file ? ['const form = new FormData();', `form.append('file', await openAsBlob('${file}'), '${file}');`] : []),
    '',
    `const response = await fetch(${address}${options.length ? `, {\n${indented(options.join('\n'), 2)}\n}` : ''});`,
    ...(isJsonResponse ? printJson : printText),
  ].join('\n');
}

const printJson = [
  'const result = await response.json();',
  "if (!response.ok) throw new Error(result.code + ': ' + result.message);",
  'console.log(result);',
];
const printText = [
  'const text = await response.text();',
  'if (!response.ok) throw new Error(text);',
  'console.log(text);',
];

function python({ method, path, headers, body, file, isJsonResponse }: SampleRequest): string {
  const sent = headers.map(([name, value]) => `"${name}": ${pythonValue(value)}`);
  const options = [
    ...(sent.length ? [`headers={\n${indented(sent.join(',\n'), 8)},\n    }`] : []),
    ...(body === undefined ? [] : [`json=${indented(pythonLiteral(body), 4).trimStart()}`]),
    ...(file ? [`files={"file": open("${file}", "rb")}`] : []),
    'timeout=30',
  ];
  const call = [`os.environ["BASE_URL"] + "${path}"`, ...options].map((line) => `    ${line}`);
  return [
    'import os',
    ...(headers.some(([, value]) => value === '$KEY') ? ['import uuid'] : []),
    '',
    'import requests',
    '',
    `response = requests.${method.toLowerCase()}(\n${call.join(',\n')},\n)`,
    'response.raise_for_status()',
    isJsonResponse ? 'print(response.json())' : 'print(response.text)',
  ].join('\n');
}

function environmentNames(headers: [string, string][]): string[] {
  return headers.flatMap(([, value]) => /\$(API_KEY|ACCESS_TOKEN|TENANT_ID)/.exec(value)?.[1] ?? []);
}

function jsValue(value: string): string {
  if (value === '$KEY') return 'crypto.randomUUID()';
  return value.startsWith('$') ? value.slice(1) : `\`${value.replace('$', '${')}}\``;
}

function pythonValue(value: string): string {
  if (value === '$KEY') return 'str(uuid.uuid4())';
  const name = /\$(\w+)/.exec(value)?.[1] as string;
  const read = `os.environ["${name}"]`;
  return value.startsWith('$') ? read : `"${value.slice(0, value.indexOf('$'))}" + ${read}`;
}

/** Formats a JSON value as a Python literal. */
function pythonLiteral(value: unknown, indent = 0): string {
  if (value === null) return 'None';
  if (typeof value === 'boolean') return value ? 'True' : 'False';
  if (typeof value !== 'object') return JSON.stringify(value);
  const inner = ' '.repeat(indent + 4);
  const items = Array.isArray(value)
    ? value.map((item) => inner + pythonLiteral(item, indent + 4))
    : Object.entries(value).map(([key, item]) => `${inner}${JSON.stringify(key)}: ${pythonLiteral(item, indent + 4)}`);
  const [open, close] = Array.isArray(value) ? '[]' : '{}';
  return items.length ? `${open}\n${items.join(',\n')},\n${' '.repeat(indent)}${close}` : `${open}${close}`;
}

function indented(text: string, spaces: number): string {
  return text.replace(/^/gm, ' '.repeat(spaces));
}
