import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { pathOf, PathError, queryOf } from "./path";

describe("a path to the API server", () => {
  it.each(["..", ".", "", "a/b", "..%2f..%2fapi", "%2e%2e", "a\0b", "a\r\nb", "a?x=", "a#", "a b", "a\\b", "ä", "．．", "x".repeat(281)])("cannot hold the segment %j", (segment) => {
    expect(() => pathOf(["api", "v1", "nodes", segment])).toThrow(PathError);
  });

  it("is the segments and nothing else, however they look", () => {
    fc.assert(
      fc.property(fc.array(fc.oneof(fc.string(), fc.stringMatching(/^[a-z0-9.:-]{1,20}$/)), { minLength: 1, maxLength: 6 }), (segments) => {
        let path: string;
        try {
          path = pathOf(segments);
        } catch (error) {
          expect(error).toBeInstanceOf(PathError);
          return;
        }
        const url = new URL(path, "https://server");
        expect(url.search + url.hash).toBe("");
        expect(url.pathname.split("/").slice(1).map(decodeURIComponent)).toEqual(segments);
      }),
      { numRuns: 500 },
    );
  });

  it("takes the names that Kubernetes has", () => {
    expect(pathOf(["apis", "rbac.authorization.k8s.io", "v1", "clusterroles", "system:node"])).toBe("/apis/rbac.authorization.k8s.io/v1/clusterroles/system%3Anode");
    expect(pathOf(["api", "v1", "nodes", "https:ip-10-0-0-1.ec2.internal:10250", "proxy", "metrics"])).toContain("ip-10-0-0-1.ec2.internal");
  });

  it("encodes its query and leaves out what is absent", () => {
    expect(queryOf({ limit: 5, continue: undefined, fieldSelector: "spec.nodeName!=", x: "a&b=c" })).toBe("?limit=5&fieldSelector=spec.nodeName%21%3D&x=a%26b%3Dc");
    expect(queryOf({ continue: undefined })).toBe("");
  });
});
