#!/bin/sh
# Builds the real kube-apiserver for tests: build_kube_apiserver.sh DIRECTORY. Prints the path of the binary.
#
# Needs go on PATH and the Go module proxy. About three minutes on two cores and 3 GB in DIRECTORY, once; a second
# call finds the binary and ends at once. No container, no kubelet, no root.
set -eu
directory=${1:?usage: build_kube_apiserver.sh DIRECTORY}
version=${KUBERNETES_VERSION:-1.34.4}

command -v go >/dev/null 2>&1 || { echo "building kube-apiserver needs go on PATH" >&2; exit 2; }
mkdir -p "$directory/$version/source"
cd "$directory/$version"
binary=$PWD/kube-apiserver
[ -x "$binary" ] && { echo "$binary"; exit 0; }

# Caches of our own: the directory can be removed, or kept between builds, as a whole.
export GOMODCACHE="$PWD/modules" GOCACHE="$PWD/cache" GOFLAGS=-mod=mod GOTOOLCHAIN=local
# The caches lie beside the module, not in it: go would take their files for its packages.
cd source
minor=${version#1.}
minor=${minor%%.*}
staging=v0.${version#1.}

cat >main.go <<'GO'
// The API server as it is released, built from the published modules.
package main

import (
	"os"

	"k8s.io/component-base/cli"
	"k8s.io/kubernetes/cmd/kube-apiserver/app"
)

func main() {
	os.Exit(cli.Run(app.NewAPIServerCommand()))
}
GO
module=$(go mod download -json "k8s.io/kubernetes@v$version" | sed -n 's/^[[:space:]]*"GoMod": "\(.*\)",*$/\1/p')
[ -n "$module" ] || { echo "the module proxy gave no k8s.io/kubernetes v$version" >&2; exit 1; }
{
    echo "module kubeapiserver"
    sed -n 's/^go /go /p' "$module"
    echo "require k8s.io/kubernetes v$version"
    # Kubernetes points to its own staging directories; published, they are modules with the matching 0.x version.
    awk -v v="$staging" '/=> \.\/staging\// { print "replace " $1 " => " $1 " " v }' "$module"
} >go.mod
go mod tidy >tidy.log 2>&1 || { tail -n 5 tidy.log >&2; exit 1; }
prefix=k8s.io/component-base/version
flags="-s -w -X $prefix.gitVersion=v$version -X $prefix.gitMajor=1 -X $prefix.gitMinor=$minor"
go build -ldflags "$flags" -o kube-apiserver.part . >build.log 2>&1 || { tail -n 20 build.log >&2; exit 1; }
mv kube-apiserver.part "$binary"
echo "$binary"
