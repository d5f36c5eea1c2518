# One image for every command: docker run IMAGE serve, … agent --node NAME --push URL, … simulate. No registry could be
# asked for a digest where this was written, so the base is pinned by its tag; give NODE_IMAGE with a digest to pin harder,
# or a mirror's name where only that is reachable.
ARG NODE_IMAGE=node:24.21.0-bookworm-slim

FROM ${NODE_IMAGE} AS build
WORKDIR /src
COPY package.json package-lock.json ./
RUN npm ci --include=dev --ignore-scripts --no-audit --no-fund \
 && npm rebuild node esbuild --ignore-scripts=false
COPY . .
RUN node server/dev/build.mjs

FROM ${NODE_IMAGE}
ENV NODE_ENV=production NEXT_TELEMETRY_DISABLED=1 SANDGLASS_DATA=/data
WORKDIR /app
COPY --from=build /src/package.json ./package.json
COPY --from=build /src/dist ./dist
COPY --from=build /src/.next/standalone ./.next/standalone
COPY --from=build /src/prisma/migrations ./prisma/migrations
# The few packages that are not part of the bundle are those that the pages brought along.
RUN ln -s .next/standalone/node_modules node_modules && mkdir /data && chown 65532:65532 /data
# Nothing below /app is ever written: run it with a read-only root, and a volume at /data and /tmp.
USER 65532:65532
VOLUME /data
EXPOSE 7400
ENTRYPOINT ["node", "--max-semi-space-size=4", "--heap-growing-percent=30", "/app/dist/main.mjs"]
CMD ["serve"]
