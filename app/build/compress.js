/**
 * Compresses a file with Brotli, as much as possible, because it is done once.
 * Rule: the same bytes give the same bytes.
 *
 * node compress.js INPUT OUTPUT
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { brotliCompressSync, constants } from 'node:zlib';

const [input, output] = process.argv.slice(2);
const params = { [constants.BROTLI_PARAM_QUALITY]: 11, [constants.BROTLI_PARAM_LGWIN]: 24 };
writeFileSync(output, brotliCompressSync(readFileSync(input), { params }));
