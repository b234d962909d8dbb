/**
 * Compresses a file by the ending of its output: as much as possible, because it is done once.
 * Rule: the same bytes give the same bytes.
 *
 * node compress.js INPUT OUTPUT.(br|gz)
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { brotliCompressSync, constants, gzipSync } from 'node:zlib';

const [input, output] = process.argv.slice(2);
const data = readFileSync(input);
const brotli = { [constants.BROTLI_PARAM_QUALITY]: 11, [constants.BROTLI_PARAM_LGWIN]: 24 };
const packed = output.endsWith('.br') ? brotliCompressSync(data, { params: brotli }) : gzipSync(data, { level: 9 });
writeFileSync(output, packed);
