import {
  type IdKind,
  idUnions,
  isIdUnion,
  isOfPlatform,
  type ResourceType,
  resourceNumber,
  unionMember,
  unionNumber,
} from '@tandem/contract';
import Sqids from 'sqids';

export interface IdCodec {
  /**
   * The public code of a resource: 16 or 17 characters that encode its type, tenant and number. For a union of types the
   * number says which one (`unionNumber`).
   */
  encode(type: IdKind, tenantId: number, id: number): string;
  /**
   * Decodes a code to its number; undefined when it is not a code of this type and tenant. Without a tenant any is
   * accepted, which is used only to read a tenant's own id. A `<type>_` prefix is ignored.
   */
  decode(type: IdKind, tenantId: number | undefined, code: string): number | undefined;
  /**
   * Reads the tenant and the number of a code, for public pages, whose requests have no tenant; undefined when it is not
   * a code of this type. The code proves nothing: the record must be looked up within the tenant.
   */
  locate(type: ResourceType, code: string): { tenantId: number; id: number } | undefined;
}

const codeMin = 16;
const codeMax = 20;
const cacheMax = 20_000;

/**
 * Creates the codec of one deployment.
 * @param alphabet the 62 letters and digits in this deployment's secret order; codes of another order are invalid here
 * @throws when the alphabet is not 62 distinct letters and digits
 */
export function createIdCodec(alphabet: string): IdCodec {
  if (!/^[a-zA-Z0-9]{62}$/.test(alphabet) || new Set(alphabet).size !== 62) {
    throw new Error('IDS_ALPHABET must contain each of the 62 letters and digits once');
  }
  // The default blocklist makes encoding five times slower (facts.md), and codes of 16 characters are not words.
  const sqids = new Sqids({ alphabet, minLength: codeMin, blocklist: new Set() });
  const codes = generations<string>(cacheMax);
  const numbers = generations<readonly number[]>(cacheMax);

  const read = (code: string): readonly number[] => {
    const known = numbers.get(code);
    if (known) return known;
    const parts = sqids.decode(code);
    // Several strings decode to the same number; only the canonical one is accepted.
    const canonical =
      parts.length === 3 && parts.every(Number.isSafeInteger) && sqids.encode(parts) === code ? parts : [];
    return numbers.set(code, canonical);
  };

  /** Type, tenant and id of a code; empty when it is not one. */
  const partsOf = (type: ResourceType, text: string): readonly number[] => {
    const code = text.startsWith(`${type}_`) ? text.slice(type.length + 1) : text;
    if (code.length < codeMin || code.length > codeMax || !/^[a-zA-Z0-9]+$/.test(code)) return [];
    return read(code);
  };

  const codec: IdCodec = {
    encode(type, tenantId, id) {
      if (isIdUnion(type)) {
        const member = unionMember(type, id);
        if (!member) throw new RangeError(`${id} is not the number of a ${type}`);
        return codec.encode(member.type, tenantId, member.id);
      }
      const owner = isOfPlatform(type) ? 0 : tenantId;
      const key = `${type}.${owner}.${id}`;
      return codes.get(key) ?? codes.set(key, sqids.encode([resourceNumber(type), owner, id]));
    },
    decode(type, tenantId, code) {
      if (isIdUnion(type)) {
        for (const member of idUnions[type]) {
          const id = codec.decode(member, tenantId, code);
          if (id !== undefined) return unionNumber(type, member, id);
        }
        return undefined;
      }
      const [number, tenant, id] = partsOf(type, code);
      const owner = isOfPlatform(type) ? 0 : tenantId;
      if (number !== resourceNumber(type) || (owner !== undefined && tenant !== owner)) return undefined;
      return id;
    },
    locate(type, code) {
      const [number, tenantId, id] = partsOf(type, code);
      if (number !== resourceNumber(type) || tenantId === undefined || id === undefined) return undefined;
      return { tenantId, id };
    },
  };
  return codec;
}

/** A cache of the last one to two times `max` entries: when the young generation is full, it becomes the old one. */
function generations<V>(max: number) {
  let young = new Map<string, V>();
  let old = new Map<string, V>();
  const set = (key: string, value: V): V => {
    if (young.size >= max) [old, young] = [young, new Map()];
    young.set(key, value);
    return value;
  };
  return {
    set,
    get(key: string): V | undefined {
      const value = young.get(key);
      if (value !== undefined) return value;
      const aged = old.get(key);
      return aged === undefined ? undefined : set(key, aged);
    },
  };
}
